import type { ModelSpec } from '../schemas/model/model-spec';
import type { Provider } from '../schemas/model/provider';
import { createAdaptingModel, createKnowledge, type Knowledge } from './adapting-model';
import type { BatchApi } from './batches/batch';
import { CALL_TIMEOUT_MS } from './call';
import type { MemoryOptions } from './memory/memory';
import type { Model } from './model';
import type { Send } from './parameters';

/**
 * Opens the model behind a SPEC, for every provider but `simulated`, which has its own folder. Sends nothing yet.
 * @param environment contains the keys and base URLs
 * @param knowledge facts of the model; without it, they are learned from its provider's answers
 * @param timeoutMs maximum duration of a call
 * @param memory applies to a memory system instead
 * @throws ModelError `bad-key` when the provider's key is missing, `bad-request` when the SPEC cannot be asked
 */
export async function openModel(
  spec: ModelSpec,
  environment: NodeJS.ProcessEnv,
  {
    knowledge = createKnowledge(),
    timeoutMs = CALL_TIMEOUT_MS,
    memory = {},
  }: { readonly knowledge?: Knowledge; readonly timeoutMs?: number; readonly memory?: MemoryOptions } = {},
): Promise<Model> {
  if (spec.provider === 'simulated') {
    throw new Error('A simulated model is opened by models/simulated/, not by models/open.ts.');
  }
  if (spec.provider === 'memory') {
    const { openMemory } = await import('./memory/memory.js');
    return openMemory(spec, memory);
  }
  const provider: ProviderModule = await PROVIDERS[spec.provider]();
  return createAdaptingModel(provider.open(spec, environment, timeoutMs), knowledge);
}

/**
 * Opens the batches of a SPEC's provider; undefined if it has none. Sends nothing yet.
 * @throws ModelError `bad-key` when the provider's key is missing
 */
export async function openBatches(
  spec: ModelSpec,
  environment: NodeJS.ProcessEnv,
): Promise<BatchApi | undefined> {
  const provider = await BATCHES[spec.provider]?.();
  return provider?.openBatches(spec, environment);
}

interface ProviderModule {
  open(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send;
}

/** Only the chosen provider's SDK is loaded, because each adds 60 to 230 ms to every worker's start. */
const PROVIDERS = {
  openai: () => import('./providers/openai.js'),
  'openai-compatible': () => import('./providers/openai-compatible.js'),
  together: () => import('./providers/together.js'),
  anthropic: () => import('./providers/anthropic.js'),
  gemini: () => import('./providers/gemini.js'),
  module: () => import('./providers/module.js'),
  bedrock: () => import('./providers/bedrock.js'),
} satisfies Readonly<Record<Exclude<Provider, 'simulated' | 'memory'>, () => Promise<ProviderModule>>>;

interface BatchModule {
  openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi | undefined;
}

const BATCHES: Readonly<Partial<Record<Provider, () => Promise<BatchModule>>>> = {
  openai: () => import('./batches/openai.js'),
  anthropic: () => import('./batches/anthropic.js'),
  gemini: () => import('./batches/gemini.js'),
  together: () => import('./batches/together.js'),
  bedrock: () => import('./batches/bedrock.js'),
};
