import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModelSpec } from '../schemas/model/model-spec';

/** Something that asking a model does besides asking a provider at the provider's own address. */
export interface ModelRisk {
  /** The URL of the code that runs, or of the server that receives the key. */
  readonly target: string;
  /** As a message says it, after the SPEC. */
  readonly effect: string;
}

/**
 * What a user must consent to before a model is asked, where someone else may have named the model; undefined for
 * simulated models and for providers at their own address. A server on this machine is like any other: what listens on
 * its port receives the key.
 * @param directory where a module's relative path starts from
 */
export function findRisk({ provider, model, url }: ModelSpec, directory: string): ModelRisk | undefined {
  if (provider === 'module') {
    const file = resolveRealPath(resolve(directory, model));
    return { target: pathToFileURL(file).href, effect: `runs the code in ${file}` };
  }
  if (provider !== 'openai-compatible' || url === undefined) return undefined;
  return {
    target: url,
    effect: `sends the prompts, and OPENAI_COMPATIBLE_API_KEY if it is set, to ${new URL(url).host}`,
  };
}

function resolveRealPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // No such file: asking the model reports it.
    return file;
  }
}
