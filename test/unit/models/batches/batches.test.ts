import { createKnowledge } from '../../../../models/adapting-model';
import {
  createBatchModel,
  type BatchFile,
  type BatchModel,
  type BatchResult,
} from '../../../../models/batches/batch';
import type { ModelRequest } from '../../../../models/model';
import { openBatches } from '../../../../models/open';
import { parseModelSpec } from '../../../../schemas/model/model-spec';
import {
  startAnthropicBatches,
  startBedrockBatches,
  startGeminiBatches,
  startTogetherBatches,
  type BatchStandIn,
} from '../../../stand-in/batch-apis';
import { requestOf } from '../providers/providers';

const REQUEST = requestOf({ temperature: 'default', maxTokens: 100 });

/** A request whose answer ends with the context window of the model. */
const LONG_REQUEST = { ...REQUEST, messages: [{ role: 'user', content: 'A long prompt' }] } as const;

/** Requests and answers of each provider's batches; the expected answers come from the wire. */
const PROVIDERS: Readonly<
  Record<
    string,
    { spec: string; start: () => Promise<BatchStandIn>; environment: (url: string) => NodeJS.ProcessEnv }
  >
> = {
  anthropic: {
    spec: 'anthropic:claude-sonnet-5-5',
    start: () =>
      startAnthropicBatches((params) => ({
        model: 'claude-sonnet-5-5',
        content: [{ type: 'text', text: quote(params, ['model', 'max_tokens', 'system']) }],
        stop_reason: chooseReason(params, 'end_turn'),
        usage: { input_tokens: 5, output_tokens: 3 },
      })),
    environment: (url) => ({ ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: url }),
  },
  gemini: {
    spec: 'gemini:gemini-3.8-flash',
    start: () =>
      startGeminiBatches((request) => ({
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ text: quote(request, ['systemInstruction', 'generationConfig']) }],
            },
            finishReason: chooseReason(request, 'STOP'),
          },
        ],
        usageMetadata: { promptTokenCount: 5, totalTokenCount: 8 },
      })),
    environment: (url) => ({ GEMINI_API_KEY: 'AIza-test-key', GOOGLE_GEMINI_BASE_URL: url }),
  },
  bedrock: {
    spec: 'bedrock:us.amazon.nova-lite-v1:0',
    start: () =>
      startBedrockBatches((input) => ({
        output: { message: { content: [{ text: quote(input, ['system', 'inferenceConfig']) }] } },
        stopReason: chooseReason(input, 'end_turn'),
        usage: { inputTokens: 5, outputTokens: 3 },
      })),
    environment: (url) => ({ ...AWS, AWS_ENDPOINT_URL: url }),
  },
  together: {
    spec: 'together:Qwen/Qwen3.5-9B',
    start: () =>
      startTogetherBatches((body) => ({
        model: 'Qwen/Qwen3.5-9B',
        choices: [
          {
            message: { content: quote(body, ['model', 'seed', 'max_tokens']) },
            finish_reason: chooseReason(body, 'stop'),
          },
        ],
        usage: { prompt_tokens: 5, completion_tokens: 3 },
      })),
    environment: (url) => ({ TOGETHER_API_KEY: 'tgp_test-key', TOGETHER_BASE_URL: `${url}/v1` }),
  },
};

const AWS = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'AKIATEST',
  AWS_SECRET_ACCESS_KEY: 'secret-KEY',
  CUPID_BEDROCK_BATCH_ROLE: 'arn:aws:iam::1:role/batches',
  CUPID_BEDROCK_BATCH_S3: 's3://bucket/cupid',
};

const EXPECTED: Readonly<Record<string, string>> = {
  anthropic: '{"model":"claude-sonnet-5-5","max_tokens":100,"system":"Be brief."}',
  gemini:
    '{"systemInstruction":{"parts":[{"text":"Be brief."}],"role":"user"},"generationConfig":{"maxOutputTokens":100,"seed":7}}',
  bedrock: '{"system":[{"text":"Be brief."}],"inferenceConfig":{"maxTokens":100}}',
  together: '{"model":"Qwen/Qwen3.5-9B","seed":7,"max_tokens":100}',
};

describe.each(Object.keys(PROVIDERS))('batches of %s', (name) => {
  const provider = PROVIDERS[name];
  if (provider === undefined) throw new Error(name);

  test('are sent with what single calls send, found again by our id, waited for, and answered by the ids of requests', async () => {
    await using server = await provider.start();
    const model = await open(provider.spec, provider.environment(server.url));
    const file = render(model, [REQUEST, REQUEST, REQUEST]);
    expect(await model.find(file)).toEqual([]);
    const id = await model.submit(file);
    expect(server.batches.map(({ requests }) => requests.length)).toEqual([3]);
    expect(await model.poll(id)).toEqual({ state: 'waiting' });
    // For Anthropic, only results show which batch is whose.
    if (name === 'anthropic') await expect(model.find(file)).rejects.toMatchObject({ kind: 'unavailable' });
    for (const batch of server.batches) batch.ended = true;
    expect(await model.find(file)).toEqual([id]);
    expect(await model.find({ ...file, id: 'cupid-b2-abd' })).toEqual([]);
    expect(await model.poll(id)).toEqual({ state: 'ended', outcome: 'completed' });

    const results = await collect(model.results(id, file, () => REQUEST));
    const answers = results.flatMap((one) => ('answer' in one ? [[one.customId, one.answer.text]] : []));
    expect(answers).toEqual([
      ['cupid-b1-abc-2', EXPECTED[name]],
      ['cupid-b1-abc-3', EXPECTED[name]],
    ]);
    const [failed] = results.flatMap((one) => ('error' in one ? [one] : []));
    expect(failed).toMatchObject({ customId: 'cupid-b1-abc-1', error: { isRetryable: true } });
  });

  test('in which one answer cannot be used have the results of all other requests', async () => {
    await using server = await provider.start();
    const model = await open(provider.spec, provider.environment(server.url));
    const file = render(model, [REQUEST, LONG_REQUEST, REQUEST]);
    const id = await model.submit(file);
    for (const batch of server.batches) batch.ended = true;
    expect(await collect(model.results(id, file, () => REQUEST))).toMatchObject([
      { customId: 'cupid-b1-abc-1', error: { isRetryable: true } },
      { customId: 'cupid-b1-abc-2', error: { kind: 'context-length' } },
      { customId: 'cupid-b1-abc-3', answer: { text: EXPECTED[name] } },
    ]);
  });

  test('that arrived twice are both found, the older first', async () => {
    await using server = await provider.start();
    const model = await open(provider.spec, provider.environment(server.url));
    const file = render(model, [REQUEST]);
    const first = await model.submit(file);
    const second = await model.submit(file);
    // Anthropic's list does not name batches. The one with a known id counts without results.
    if (name === 'anthropic') expect(await model.find({ ...file, providerId: second })).toEqual([second]);
    for (const batch of server.batches) batch.ended = true;
    // Bedrock makes only one job for a token.
    expect(await model.find(file)).toEqual(first === second ? [first] : [first, second]);
  });

  test('are cancelled, and unknown to another key', async () => {
    await using server = await provider.start();
    const environment = provider.environment(server.url);
    const model = await open(provider.spec, environment);
    const file = render(model, [REQUEST]);
    const id = await model.submit(file);
    await model.cancel(id);
    expect(server.batches.map(({ cancelled }) => cancelled)).toEqual([true]);
    await expect(model.poll(`${id}9`)).rejects.toMatchObject({ kind: 'unknown-model' });
    const others = Object.fromEntries(
      Object.entries(environment).map(([variable, value]) => [
        variable,
        variable.endsWith('KEY') ? `${value}2` : value,
      ]),
    );
    expect((await open(provider.spec, others)).account).not.toBe(model.account);
    expect((await open(provider.spec, environment)).account).toBe(model.account);
  });
});

/** Renders a batch of these requests. */
function render(model: BatchModel, requests: readonly ModelRequest[]): BatchFile {
  const lines = requests.map((request, at) => model.render(`cupid-b1-abc-${at + 1}`, request, {}));
  const read = () => Promise.resolve(`${lines.join('\n')}\n`);
  return { id: 'cupid-b1-abc', requests: requests.length, sentAtMs: Date.now(), read };
}

async function open(spec: string, environment: NodeJS.ProcessEnv): Promise<BatchModel> {
  const api = await openBatches(parseModelSpec(spec), environment);
  if (api === undefined) throw new Error(`${spec} takes no batches.`);
  return createBatchModel(api, createKnowledge());
}

async function collect(results: AsyncIterable<BatchResult>): Promise<BatchResult[]> {
  const all: BatchResult[] = [];
  for await (const one of results) all.push(one);
  return all.toSorted((one, other) => (one.customId < other.customId ? -1 : 1));
}

/** Returns the finish reason of the answer to a received request. */
function chooseReason(request: unknown, usual: string): string {
  const [{ content }] = LONG_REQUEST.messages;
  return JSON.stringify(request).includes(content) ? 'model_context_window_exceeded' : usual;
}

/** Returns these parts of a received request. */
function quote(request: unknown, parts: readonly string[]): string {
  const entries = Object.entries(Object(request));
  return JSON.stringify(
    Object.fromEntries(parts.map((part) => [part, entries.find(([key]) => key === part)?.[1]])),
  );
}
