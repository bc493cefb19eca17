import { z } from 'zod';

export const PROVIDERS = [
  'openai',
  'bedrock',
  'together',
  'anthropic',
  'gemini',
  'openai-compatible',
  'module',
  'simulated',
] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A model SPEC, taken apart: `provider:model[@http(s)://url][?k=v&…]`. */
export interface ModelSpec {
  readonly provider: Provider;
  /** With `module`, the path of a file, as it was written. */
  readonly model: string;
  /** Only with `openai-compatible`, where it is needed. */
  readonly url?: string;
  /** Only with `simulated`. */
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Takes a SPEC apart: split at the first `:` and the last `@http`; `?` options belong to `simulated:` only; all that
 * follows `module:` is a path.
 * @throws Error that says what was expected, with an example.
 */
export function parseModelSpec(text: string): ModelSpec {
  const colon = text.indexOf(':');
  const provider = PROVIDERS.find((name) => name === text.slice(0, Math.max(colon, 0)));
  if (provider === undefined) {
    throw new Error(
      `"${text}" names no known provider. Write provider:model, where provider is one of ${PROVIDERS.join(', ')}; for example openai:gpt-4o-2024-11-20 or simulated:default.`,
    );
  }
  const rest = text.slice(colon + 1);
  if (provider === 'simulated') {
    const [model, query] = splitOnce(rest, '?');
    if (model === '') throw missingModel(text, 'simulated:default');
    return { provider, model, options: Object.fromEntries(new URLSearchParams(query)) };
  }
  if (provider === 'module') {
    if (fileName(rest) === '') throw missingModel(text, 'module:./my-model.mjs');
    return { provider, model: rest, options: {} };
  }
  const at = rest.lastIndexOf('@http');
  const model = at < 0 ? rest : rest.slice(0, at);
  if (model === '') throw missingModel(text, `${provider}:NAME`);
  if (provider !== 'openai-compatible') {
    if (at >= 0) {
      throw new Error(`"${text}": only openai-compatible takes a URL. Write openai-compatible:${rest}.`);
    }
    return { provider, model, options: {} };
  }
  const url = at < 0 ? '' : rest.slice(at + 1);
  if (!URL.canParse(url)) {
    throw new Error(
      `"${text}" needs the server's URL after an @; for example openai-compatible:${model}@http://localhost:8000/v1.`,
    );
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw new Error(
      `A SPEC is kept and shown, so its URL must hold no name or password. Put the server's key into OPENAI_COMPATIBLE_API_KEY.`,
    );
  }
  return { provider, model, url, options: {} };
}

/** A SPEC as data tell it: `provider:model`, without the address it was asked at; of a module only its file's name. */
export function modelName(text: string): string {
  const { provider, model } = parseModelSpec(text);
  return `${provider}:${provider === 'module' ? fileName(model) : model}`;
}

/** True when any of these models is simulated. */
export function anySimulated(specs: Iterable<string>): boolean {
  return [...specs].some((text) => parseModelSpec(text).provider === 'simulated');
}

/** A SPEC as text, checked to be one. */
export const modelSpecSchema = z.string().superRefine((text, context) => {
  try {
    parseModelSpec(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
});

/** What follows the last separator, on any system. */
function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function missingModel(text: string, example: string): Error {
  return new Error(`"${text}" names no model. Write, for example, ${example}.`);
}
