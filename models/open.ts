import type { ModelSpec } from '../schemas/model/model-spec';
import type { Provider } from '../schemas/model/provider';
import { createAdaptingModel, createKnowledge, type Knowledge } from './adapting-model';
import type { BatchApi } from './batches/batch';
import { CALL_TIMEOUT_MS } from './call';
import type { Model } from './model';
import type { Send } from './parameters';

/**
 * Opens the model behind a SPEC, for every provider but `simulated`, which has its own folder. Sends nothing yet.
 * @param environment contains the keys and base URLs
 * @param knowledge facts of the model; without it, they are learned from its provider's answers
 * @param timeoutMs maximum duration of a call
 * @throws ModelError `bad-key` when the provider's key is missing, `bad-request` when the SPEC cannot be asked
 */
export function openModel(
  spec: ModelSpec,
  environment: NodeJS.ProcessEnv,
  {
    knowledge = createKnowledge(),
    timeoutMs = CALL_TIMEOUT_MS,
  }: { readonly knowledge?: Knowledge; readonly timeoutMs?: number } = {},
): Model {
  if (spec.provider === 'simulated') {
    throw new Error('A simulated model is opened by models/simulated/, not by models/open.ts.');
  }
  if (spec.provider === 'memory') {
    const { openMemory }: typeof import('./memory/memory') = require('./memory/memory');
    return openMemory(spec, timeoutMs);
  }
  return createAdaptingModel(PROVIDERS[spec.provider]().open(spec, environment, timeoutMs), knowledge);
}

/**
 * Opens the batches of a SPEC's provider; undefined if it has none. Sends nothing yet.
 * @throws ModelError `bad-key` when the provider's key is missing
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi | undefined {
  return BATCHES[spec.provider]?.().openBatches(spec, environment);
}

interface ProviderModule {
  open(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send;
}

/** Only the chosen provider's SDK is loaded, because each adds 60 to 230 ms to every worker's start. */
const PROVIDERS: Readonly<Record<Exclude<Provider, 'simulated' | 'memory'>, () => ProviderModule>> = {
  openai: (): typeof import('./providers/openai') => require('./providers/openai'),
  'openai-compatible': (): typeof import('./providers/openai-compatible') =>
    require('./providers/openai-compatible'),
  together: (): typeof import('./providers/together') => require('./providers/together'),
  anthropic: (): typeof import('./providers/anthropic') => require('./providers/anthropic'),
  gemini: (): typeof import('./providers/gemini') => require('./providers/gemini'),
  module: (): typeof import('./providers/module') => require('./providers/module'),
  bedrock: (): typeof import('./providers/bedrock') => require('./providers/bedrock'),
};

interface BatchModule {
  openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi | undefined;
}

const BATCHES: Readonly<Partial<Record<Provider, () => BatchModule>>> = {
  openai: (): typeof import('./batches/openai') => require('./batches/openai'),
  anthropic: (): typeof import('./batches/anthropic') => require('./batches/anthropic'),
  gemini: (): typeof import('./batches/gemini') => require('./batches/gemini'),
  together: (): typeof import('./batches/together') => require('./batches/together'),
  bedrock: (): typeof import('./batches/bedrock') => require('./batches/bedrock'),
};
