import type { ModelSpec } from '../../schemas/model/model-spec';
import type { Provider } from '../../schemas/model/provider';
import type { BatchApi } from './batch';

type OpenBatches = (spec: ModelSpec, environment: NodeJS.ProcessEnv) => BatchApi | undefined;

/**
 * The batches of a SPEC's provider; undefined where it takes none. Sends nothing yet.
 * @throws ModelError `bad-key` when the provider's key is missing
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi | undefined {
  return OPENERS[spec.provider]?.()(spec, environment);
}

/** Only the chosen provider's SDK is loaded, as in models/open.ts. */
const OPENERS: Readonly<Partial<Record<Provider, () => OpenBatches>>> = {
  openai: () => {
    const { openOpenAiBatches }: typeof import('./openai') = require('./openai');
    return openOpenAiBatches;
  },
  anthropic: () => {
    const { openAnthropicBatches }: typeof import('./anthropic') = require('./anthropic');
    return openAnthropicBatches;
  },
  gemini: () => {
    const { openGeminiBatches }: typeof import('./gemini') = require('./gemini');
    return openGeminiBatches;
  },
  together: () => {
    const { openTogetherBatches }: typeof import('./together') = require('./together');
    return openTogetherBatches;
  },
  bedrock: () => {
    const { openBedrockBatches }: typeof import('./bedrock') = require('./bedrock');
    return openBedrockBatches;
  },
};
