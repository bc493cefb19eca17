// Workflows read SPECs, so this module does not import zod.

import { findBaseUrlProblem } from './base-url';
import { splitCommandLine } from './command-line';
import { findCloseWord, formatCloseNames } from '../text/close-names';
import { MODEL_PROVIDERS, NAME_BEGINNINGS, PROVIDERS, type Provider } from './provider';

/** A parsed model SPEC: `provider:model[@http(s)://url][?k=v&…]`. */
export interface ModelSpec {
  readonly provider: Provider;
  /** With `module`, the path of a file, as given; with `memory`, how to reach the memory system. */
  readonly model: string;
  /** With `openai-compatible`, which requires it, and with a memory system that is a server. */
  readonly url?: string;
  /** Only with `simulated`. */
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Parses a SPEC. It is split at the first `:` and the last `@http://` or `@https://`. `?` options belong to `simulated:` only. Everything after
 * `module:` is a path.
 * @throws Error that says what was expected, with an example, and repeats no secret
 */
export function parseModelSpec(text: string): ModelSpec {
  // Checked first, because every other message quotes the SPEC.
  if (UNPRINTABLE.test(text)) {
    throw new Error(
      'A model SPEC contains a control character or an invisible one. Write provider:model in plain characters, for example openai:gpt-6-luna.',
    );
  }
  const colon = text.indexOf(':');
  const provider = PROVIDERS.find((name) => name === text.slice(0, Math.max(colon, 0)));
  const modelPart = text.slice(colon + 1);
  if (provider === undefined) {
    throw new Error(
      `${quoteSpec(text)} names no known provider.${formatCloseNames(listIntended(text))} Write provider:model, where provider is one of ${MODEL_PROVIDERS.join(', ')}; for example openai:gpt-6-luna or simulated:default.`,
    );
  }
  if (provider === 'simulated') {
    const [model, query] = splitOnce(modelPart, '?');
    checkModelName(text, model, 'simulated:default');
    if (!OPTIONS.test(query)) {
      throw new Error(
        `${quoteSpec(text)} has an option with a character that is neither a letter, nor a digit, nor one of . : , = & % + ! ' ( ) * ~ _ -. Write it percent-encoded, for example simulated:default?fail=Ana%20Maria.`,
      );
    }
    return { provider, model, options: Object.fromEntries(new URLSearchParams(query)) };
  }
  if (provider === 'module') {
    if (getFileName(modelPart) === '' || modelPart.trim() !== modelPart)
      throw createMissingModelError(text, 'module:./my-model.mjs');
    return { provider, model: modelPart, options: {} };
  }
  if (provider === 'memory') return { provider, ...parseAdapter(modelPart), options: {} };
  if (provider === 'openai-compatible') return { provider, ...splitUrl(text, modelPart), options: {} };
  if (modelPart.includes('@')) {
    throw new Error(
      `${quoteSpec(text)} has an @ for a URL, which only openai-compatible takes. Leave it out, or write openai-compatible:NAME@http://HOST/v1.`,
    );
  }
  checkModelName(text, modelPart, `${provider}:NAME`);
  return { provider, model: modelPart, options: {} };
}

/** Lists the provider, or the SPEC, that a text without a known provider means; empty if that is unclear. */
function listIntended(text: string): string[] {
  const [providerPart, modelPart] = splitOnce(text, ':');
  const provider = findCloseWord(providerPart, MODEL_PROVIDERS);
  // The rest of the SPEC may hold a secret.
  if (provider !== undefined)
    return [MODEL_NAME.test(modelPart) && !modelPart.includes('@') ? `${provider}:${modelPart}` : provider];
  if (!MODEL_NAME.test(text) || /[@:]/.test(text)) return [];
  return Object.entries(NAME_BEGINNINGS).flatMap(([name, beginning]) =>
    beginning.test(text) ? `${name}:${text}` : [],
  );
}

/** Control characters, invisible ones, and those that change the direction of text (Unicode Cc, Cf, Zl, Zp, surrogates). */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Parses how a memory system is reached. @throws Error that shows the three forms */
function parseAdapter(text: string): { model: string; url?: string } {
  if (/^https?:/.test(text)) {
    const problem = /\s/.test(text) ? 'contains a space' : findBaseUrlProblem(text);
    if (problem === undefined) return { model: text, url: text };
    throw new Error(`The URL of the memory system ${problem}. ${ADAPTER_FORMS}`);
  }
  const [kind, argument] = splitOnce(text, ':');
  if (kind === 'command' && argument.trim() !== '') {
    if (!COMMAND_LINE.test(argument)) {
      throw new Error(
        `The command of the memory system has a character that a shell could interpret. It is run without a shell: write the program and its arguments, and put anything else into a script. ${ADAPTER_FORMS}`,
      );
    }
    requireWords(argument);
    return { model: text };
  }
  if (kind === 'module' && getFileName(argument) !== '' && argument.trim() === argument)
    return { model: text };
  throw new Error(`${quoteSpec(text)} names no memory system. ${ADAPTER_FORMS}`);
}

/** @throws Error if a quote is not closed */
function requireWords(line: string): string[] {
  const words = splitCommandLine(line);
  if (words !== undefined) return words;
  throw new Error(
    `The command of the memory system has a quote that is not closed: ${quoteSpec(line)}. Quote a word with spaces as in command:python my_memory.py --note="two words", and an apostrophe as in "don't".`,
  );
}

const ADAPTER_FORMS = 'Write http://HOST:PORT/PATH, command:python my_memory.py or module:./my-memory.mjs.';

/** A program and its arguments, perhaps quoted; the SPEC reaches logs, so it contains nothing that a shell would run. */
const COMMAND_LINE = /^[\p{L}\p{M}\p{N}_.:/\\@+=,~ "'-]+$/u;

/** Splits an `openai-compatible:` SPEC into the model's name and the server's URL. */
function splitUrl(text: string, modelPart: string): { model: string; url: string } {
  const at = Math.max(modelPart.lastIndexOf('@http://'), modelPart.lastIndexOf('@https://'));
  if (at < 0) {
    throw new Error(
      `${quoteSpec(text)} has no URL. Write the server's URL after an @, with http:// or https://; for example ${completeSpec(modelPart)}.`,
    );
  }
  const [model, url] = [modelPart.slice(0, at), modelPart.slice(at + 1)];
  checkModelName(text, model, 'openai-compatible:NAME@http://localhost:8000/v1');
  const problem = /\s/.test(url) ? 'contains a space' : findBaseUrlProblem(url);
  if (problem !== undefined) {
    throw new Error(
      `The URL of openai-compatible:${model} ${problem}. A SPEC is stored and displayed, so write the plain URL, for example openai-compatible:${model}@http://localhost:8000/v1, and put the server's key into OPENAI_COMPATIBLE_API_KEY.`,
    );
  }
  return { model, url };
}

/** Guesses the intended SPEC: `llama@localhost:8000` lacks the scheme and the path. */
function completeSpec(modelPart: string): string {
  const [model, host] = splitOnce(modelPart, '@');
  const url = `http://${host}${host.includes('/') ? '' : '/v1'}`;
  const usable = MODEL_NAME.test(model) && HOST_AND_PATH.test(host) && findBaseUrlProblem(url) === undefined;
  const name = MODEL_NAME.test(model) ? model : 'NAME';
  return `openai-compatible:${name}@${usable ? url : 'http://localhost:8000/v1'}`;
}

const HOST_AND_PATH = /^[\w.-]+(:\d+)?(\/[^\s?#@]*)?$/;

/**
 * A model's name at any provider: no spaces, no options, no second URL. The SPEC in a run folder from somebody else reaches logs and messages, so
 * it contains nothing that a shell would run.
 */
const MODEL_NAME = /^(?!.*:\/\/)[\p{L}\p{M}\p{N}_.:/@+=,-]+$/u;

/** Options of the simulated model, as written by `URLSearchParams` and `encodeURIComponent`. */
const OPTIONS = /^[\p{L}\p{M}\p{N}.:,=&%+!'()*~_-]*$/u;

function checkModelName(text: string, model: string, example: string): void {
  if (model === '') throw createMissingModelError(text, example);
  if (model.includes('?')) {
    throw new Error(
      `${quoteSpec(text)} has options after a ?, which only simulated takes. Leave them out; set temperature and maxTokens of a step in a --settings file.`,
    );
  }
  if (!MODEL_NAME.test(model)) {
    throw new Error(
      `${quoteSpec(text)} has a character in the model's name that is neither a letter, nor a digit, nor one of . : / @ + = , _ -, or has a ://. Write the name alone, for example ${example}.`,
    );
  }
}

/** Returns a SPEC's name in data: `provider:model`, without the URL; for files only their names. */
export function formatModelName(text: string): string {
  const { provider, model } = parseModelSpec(text);
  if (provider === 'memory') return `memory:${formatAdapterName(model)}`;
  return `${provider}:${provider === 'module' ? getFileName(model) : model}`;
}

/** Removes the folders of this machine from a memory system's command or path. */
function formatAdapterName(model: string): string {
  if (/^https?:/.test(model)) return model;
  const [kind, argument] = splitOnce(model, ':');
  return kind === 'module' ? getFileName(argument) : requireWords(argument).map(getFileName).join(' ');
}

/** Removes the region from a model's name. Bedrock's inference profiles put it first, as in `us.anthropic.claude-…`. */
export function removeRegion(name: string): string {
  return name.replace(/^bedrock:(?:us|eu|apac|jp|au|global)\./, 'bedrock:');
}

export function hasSimulated(specs: Iterable<string>): boolean {
  return [...specs].some((text) => parseModelSpec(text).provider === 'simulated');
}

/** Returns the text after the last separator, on any system. */
function getFileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function createMissingModelError(text: string, example: string): Error {
  return new Error(`${quoteSpec(text)} names no model. Write, for example, ${example}.`);
}

/** Quotes a SPEC for a message, without the parts where users may write secrets: passwords in URLs (up to an @), keys in queries (after a ?). */
export function quoteSpec(text: string): string {
  const end = text.search(/[@?]/);
  return end < 0 ? `"${text}"` : `"${text.slice(0, end + 1)}…"`;
}
