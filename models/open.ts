import type { ModelSpec } from '../schemas/model/model-spec';
import type { Provider } from '../schemas/model/provider';
import { createAdaptingModel, createKnowledge, type Knowledge } from './adapting-model';
import { CALL_TIMEOUT_MS } from './call';
import type { Model } from './model';
import type { Send } from './parameters';

type OpenProvider = (spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number) => Send;

/**
 * The model behind a SPEC; every provider but `simulated`, which has its own folder. Asks nothing yet.
 * @param environment where the keys and base URLs are taken from
 * @param knowledge what the model takes; without it, learned from its provider's answers
 * @param timeoutMs the longest a call may take
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
  return createAdaptingModel(OPENERS[spec.provider]()(spec, environment, timeoutMs), knowledge);
}

/** Only the chosen provider's SDK is loaded: each takes 60 to 230 ms, which every worker's start would pay. */
const OPENERS: Readonly<Record<Exclude<Provider, 'simulated'>, () => OpenProvider>> = {
  openai: () => {
    const { openOpenAi }: typeof import('./providers/openai') = require('./providers/openai');
    return openOpenAi;
  },
  'openai-compatible': () => {
    const {
      openOpenAiCompatible,
    }: typeof import('./providers/openai-compatible') = require('./providers/openai-compatible');
    return openOpenAiCompatible;
  },
  together: () => {
    const { openTogether }: typeof import('./providers/together') = require('./providers/together');
    return openTogether;
  },
  anthropic: () => {
    const { openAnthropic }: typeof import('./providers/anthropic') = require('./providers/anthropic');
    return openAnthropic;
  },
  gemini: () => {
    const { openGemini }: typeof import('./providers/gemini') = require('./providers/gemini');
    return openGemini;
  },
  module: () => {
    const { openModule }: typeof import('./providers/module') = require('./providers/module');
    return (spec, _environment, timeoutMs) => openModule(spec, process.cwd(), timeoutMs);
  },
  bedrock: () => {
    const { openBedrock }: typeof import('./providers/bedrock') = require('./providers/bedrock');
    return openBedrock;
  },
};
