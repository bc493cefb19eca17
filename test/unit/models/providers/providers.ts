import { ModelError } from '../../../../models/errors/error';
import type { Model, ModelRequest } from '../../../../models/model';
import { readBuiltInTable } from '../../../../data/model-table';
import { createKnowledge } from '../../../../models/adapting-model';
import { openModel } from '../../../../models/open';
import { collectFacts } from '../../../../engine/model-facts/facts';
import { parseModelSpec } from '../../../../schemas/model/model-spec';

/** Connection to each provider in tests, with its successful answer. */
export interface ProviderCase {
  readonly provider: string;
  readonly spec: (url: string) => string;
  readonly environment: (url: string) => NodeJS.ProcessEnv;
  /** Value of the key in the environment, which must never appear in a message. */
  readonly secret: string;
  /** A short, complete answer. */
  readonly answer: (text: string) => unknown;
}

function completion(text: string) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'named-by-the-response',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

export const PROVIDER_CASES = {
  openai: {
    provider: 'openai',
    spec: () => 'openai:gpt-4o-2024-11-20',
    secret: 'sk-openai-0123456789abcdef',
    environment: (url) => ({ OPENAI_API_KEY: 'sk-openai-0123456789abcdef', OPENAI_BASE_URL: `${url}/v1` }),
    answer: completion,
  },
  'openai-compatible': {
    provider: 'openai-compatible',
    spec: (url) => `openai-compatible:qwen@${url}/v1`,
    secret: 'compatible-0123456789abcdef',
    environment: () => ({ OPENAI_COMPATIBLE_API_KEY: 'compatible-0123456789abcdef' }),
    answer: completion,
  },
  together: {
    provider: 'together',
    spec: () => 'together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
    secret: 'together0123456789abcdef',
    environment: (url) => ({ TOGETHER_API_KEY: 'together0123456789abcdef', TOGETHER_BASE_URL: `${url}/v1` }),
    answer: completion,
  },
  anthropic: {
    provider: 'anthropic',
    spec: () => 'anthropic:claude-3-5-sonnet-20241022',
    secret: 'anthropic-0123456789abcdef',
    environment: (url) => ({ ANTHROPIC_API_KEY: 'anthropic-0123456789abcdef', ANTHROPIC_BASE_URL: url }),
    answer: (text) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'named-by-the-response',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 2 },
    }),
  },
  gemini: {
    provider: 'gemini',
    spec: () => 'gemini:gemini-2.5-flash',
    secret: 'gemini-0123456789abcdef',
    environment: (url) => ({ GEMINI_API_KEY: 'gemini-0123456789abcdef', GOOGLE_GEMINI_BASE_URL: url }),
    answer: (text) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      modelVersion: 'named-by-the-response',
    }),
  },
  bedrock: {
    provider: 'bedrock',
    spec: () => 'bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0',
    secret: 'bedrock/0123456789abcdef',
    environment: (url) => ({
      AWS_ACCESS_KEY_ID: 'access-0123456789',
      AWS_SECRET_ACCESS_KEY: 'bedrock/0123456789abcdef',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    }),
    answer: (text) => ({
      output: { message: { role: 'assistant', content: [{ text }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
      metrics: { latencyMs: 10 },
    }),
  },
} as const satisfies Record<string, ProviderCase>;
export type ProviderName = keyof typeof PROVIDER_CASES;

export const PROVIDER_NAMES = [
  'openai',
  'openai-compatible',
  'together',
  'anthropic',
  'gemini',
  'bedrock',
] as const satisfies readonly ProviderName[];

export const ALL_CASES: readonly ProviderCase[] = PROVIDER_NAMES.map((name) => PROVIDER_CASES[name]);

/** Opens the provider's model at this address; `spec` names another model of it. */
export function openModelAt(
  { spec, environment }: ProviderCase,
  url: string,
  changes: { readonly spec?: string; readonly timeoutMs?: number } = {},
): Model {
  const asked = changes.spec ?? spec(url);
  const opening = openModel(parseModelSpec(asked), environment(url), {
    ...(changes.timeoutMs === undefined ? {} : { timeoutMs: changes.timeoutMs }),
    knowledge: createKnowledge(collectFacts(asked, readBuiltInTable())),
  });
  return { ask: async (...call) => (await opening).ask(...call) };
}

export function requestOf(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    step: 'checklist',
    values: { preferences: 'never sent' },
    form: 'prompt',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello?' }],
    temperature: 0.3,
    maxTokens: 2048,
    attempt: 0,
    seed: 7,
    ...changes,
  };
}

/** A conversation of the user simulator, which begins with the assistant. */
export const ASSISTANT_FIRST = requestOf({
  form: 'chat',
  messages: [
    { role: 'assistant', content: 'I need a plan.' },
    { role: 'user', content: 'Here is one.' },
    { role: 'assistant', content: 'Shorter.' },
    { role: 'user', content: 'Here it is.' },
  ],
});

export const UNHURRIED = new AbortController().signal;

/** Returns the error of a failed call. */
export async function catchModelError(asking: Promise<unknown>): Promise<ModelError> {
  try {
    await asking;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error('The model answered where an error was expected.');
}
