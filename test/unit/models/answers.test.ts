import { ModelError, type OptionalParameter } from '../../../models/errors/error';
import type { ModelFacts } from '../../../schemas/model/model-table';
import { parseModelSpec } from '../../../schemas/model/model-spec';
import type { Usage } from '../../../schemas/model/usage';
import { createBatchModel, type BatchApi, type BatchResult } from '../../../models/batches/batch';
import { createAdaptingModel, createKnowledge, type Knowledge } from '../../../models/adapting-model';
import type { ModelAnswer } from '../../../models/model';
import { openModel } from '../../../models/open';
import { hasInnerReasoning, trimText } from '../../../schemas/model/answer-text';
import { wrapAnswer } from '../../wrapped-answers';
import { ProviderServer } from './providers/provider-server';
import {
  ALL_CASES,
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from './providers/providers';

const server = ProviderServer.inEachTest();

const HI = 'Hi there.\n\nHow are you?';

/** Returns the answer that a provider's text becomes. */
function separate(text: string): Promise<ModelAnswer> {
  const send = async (): Promise<ModelAnswer> => ({ text, finish: 'complete', model: 'm', usage: {} });
  return createAdaptingModel(send, createKnowledge()).ask(requestOf(), UNHURRIED);
}

test.each(ALL_CASES)('an answer of $provider is taken apart', async (provider) => {
  const raw = `<think>\nHm.\n</think>\n\n${HI}<|im_end|>`;
  server.reply = { body: provider.answer(raw) };
  await expect(openModelAt(provider, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    text: HI,
    raw,
    finish: 'complete',
  });
});

describe('what stands around an answer is cut off', () => {
  test.each([...wrapAnswer(HI), `Hi \u0000there.\u001B[31m\n\nHow are\u0007 you?\u001B[0m`])(
    '%j',
    async (raw) => {
      expect(await separate(raw)).toMatchObject({ text: HI, raw, finish: 'complete' });
    },
  );
});

// The score of a judge, the letter of a choice: no sentence ends before the mark.
test.each(wrapAnswer('### Evaluation Score\n\n8'))(
  'what stands around a score is cut off: %j',
  async (raw) => {
    expect(await separate(raw)).toMatchObject({ text: '### Evaluation Score\n\n8', raw });
  },
);

describe('what belongs to the answer stays', () => {
  test.each([
    HI,
    '  Hi.\n',
    'The tag `<think>` begins, and `</think>` ends it.',
    '<think> is a tag that reasoning models write, and </think> ends it.',
    'R1 ends its thoughts with </think>. Then it answers.',
    'R1 writes </think> and then answers.',
    'The tag (</think>) is the last.\nAnswers follow.',
    '"<think>" begins, and "</think>" ends it.',
    'Write your plan in <think>…</think> first.',
    'For example:\n\n```xml\n<think>\nHm.\n</think>\n```\n\nThat is all.',
    'For example:\n\n```\nHm.\n</think>\n```\n\nThat is all.',
    'For example:\n\n<think>\nHm.\n</think>\n\nThat is all.',
    '```\n<think>Hm.</think>\n```',
    '# The tag\n<think>Hm.</think> is what R1 writes.',
    '{"note": "Hm.</think>She likes it."}',
    'The reasoning (</reasoning>) is over.',
    'analysis of the text, by the assistantfinalizer',
    'ChatML ends a turn with `<|im_end|>`.',
    'ChatML:\n```\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n```',
    'ChatML:\n\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant',
    'Texts are separated by <|endoftext|> in training.',
    'It was <s>10</s>',
    'ChatML\nbegins a turn with <|im_start|>user',
    '<s>10</s> 8 dollars',
    'Use "</s>" at the end.',
    '<answer>8</answer>',
    'She said: 👩‍🔬 works.\tYes.\r\nNo.',
    'Human: a word of its own',
    // Templates as the subject.
    'ChatML begins a turn with <|im_start|>user and a line break.',
    'In ChatML:\n<|im_start|>user\nHi',
    'The format is `<|im_start|>user`.\n\nThat is all.',
    '# Mistral\n[INST] Hi [/INST]',
    'Phi writes "<|user|>" before a message.',
    // Dialogues that an answer drafts.
    'Here it is:\n\nUser:\nHi!\n\nAssistant:\nHello.',
    'I wrote the script.\n\nUser:\nHi!\n\nAssistant:\nHello.',
    'I wrote the dialogue.\n\n### User:\nHi!\n\n### Assistant:\nHello.',
    'I wrote it down.\n\nUser:\nHi!\n\nSupport:\nHello.',
    'It is done.\n\nCustomer: Hi!\n\nUser:\nHello.',
    '## Scene 1\n\n**User:**\nHi!\n\n**Bot:**\nHello.',
    '**Scene 1**\n\n### User:\nHi!',
    'It is done.\n\n```\nUser:\nHi!\n```\n\nBye.',
    'It is done.\n\nUser: Hi!\nAssistant: Hello.',
    'User:\nHi!',
    // Drafts about roles, of which the user is one.
    'Two roles.\n\n**Admin:**\n- create\n- delete\n\n**User:**\n- view\n- comment\n\nStart with two admins.',
    'Two roles.\n\n**Admin:**\ncreates.\n\n**User:**\nviews.',
    'It lifts this much.\n\nRobot:\n4 kg\n\nHuman:\n12 kg\n\nKeep a margin.',
    'Two roles.\n\n### Admin:\nAll.\n\n### User:\nRead only.',
    '**Owner:** full access.\n\n### User:\nRead only.\n\n### Next steps\nSend the invitations.',
    'It is done.\n\n**User:**\n- view\n- comment',
    `It is done.\n\nUser:\n${'It reads and comments. '.repeat(30)}`,
    'It is done.\n\nUser:\nReads.\n\nThe rest stays.',
    'Permissions are set.\n\n### User\n\nReads.\n\n### Admin\n\nWrites.',
    'user:\n  name: Kim\nhost:\n  name: a',
    // A rule within an answer, or a heading.
    'One.\n\n---\n\nTwo.',
    'Title\n---',
    '| a |\n|---|',
  ])('%j', async (text) => {
    const answer = await separate(text);
    expect(answer).toMatchObject({ text, finish: 'complete' });
    expect(answer).not.toHaveProperty('raw');
  });
});

describe('reasoning that does not end is no answer, whatever the provider says', () => {
  test.each([
    '<think>Hm. ### Most Likely Preference\nShe likes',
    '<think>',
    '<think>It is closed with `</think>`',
    '[THINK]Hm.',
    '<|channel|>analysis<|message|>Hm.',
    '<|channel|>analysis<|message|>Hm.<|end|>',
    '<|START_THINKING|>Hm.',
  ])('%j', async (raw) => {
    expect(await separate(raw)).toMatchObject({ text: '', raw, finish: 'reasoning' });
  });
});

function reply(content: string, finish_reason: string): void {
  server.reply = { body: { choices: [{ message: { content }, finish_reason }] } };
}

describe('an answer that was cut off', () => {
  const { 'openai-compatible': compatible } = PROVIDER_CASES;
  test.each([
    ['<think>Hm.', { text: '', finish: 'reasoning' }],
    ['<think>Hm.</think>', { text: '', finish: 'reasoning' }],
    ['<think>Hm.</think>\n\nHalf of', { text: 'Half of', finish: 'length' }],
    ['Half of', { text: 'Half of', finish: 'length' }],
  ])('%j', async (content, expected) => {
    reply(content, 'length');
    await expect(openModelAt(compatible, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject(
      expected,
    );
  });

  test('is reasoning if the chat template of its model begins it', async () => {
    const model = openModelAt(compatible, server.url);
    reply('Hm.\n</think>\n\nHi.', 'stop');
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({ text: 'Hi.' });
    reply('The user says', 'length');
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
      text: '',
      raw: 'The user says',
      finish: 'reasoning',
    });
    reply('Hm.\n</think>\n\nHalf of', 'length');
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
      text: 'Half of',
      finish: 'length',
    });
  });
});

/** An answer of each provider that ended for this reason. */
const ENDED: readonly (readonly [ProviderName, (text: string, reason: string | null) => unknown])[] = [
  ['openai-compatible', (content, finish_reason) => ({ choices: [{ message: { content }, finish_reason }] })],
  ['anthropic', (text, stop_reason) => ({ content: [{ type: 'text', text }], stop_reason })],
  ['gemini', (text, finishReason) => ({ candidates: [{ content: { parts: [{ text }] }, finishReason }] })],
  ['bedrock', (text, stopReason) => ({ output: { message: { content: [{ text }] } }, stopReason })],
];

describe.each(ENDED)('an answer of %s', (name, build) => {
  const askFor = async (text: string, reason: string | null) => {
    server.reply = { body: build(text, reason) };
    return openModelAt(PROVIDER_CASES[name], server.url).ask(requestOf(), UNHURRIED);
  };

  test.each([
    ['stop', 'complete'],
    ['STOP', 'complete'],
    ['end_turn', 'complete'],
    ['eos', 'complete'],
    ['tool_calls', 'complete'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['max_output_tokens', 'length'],
    ['pause_turn', 'length'],
    ['stop_sequence', 'complete'],
    ['content_filter', 'refused'],
    ['content_filtered', 'refused'],
    ['guardrail_intervened', 'refused'],
    ['Content_Filter', 'refused'],
    ['SAFETY', 'refused'],
    ['RECITATION', 'refused'],
    ['PROHIBITED_CONTENT', 'refused'],
    ['BLOCKLIST', 'refused'],
    ['', 'complete'],
    [null, 'complete'],
    ['refusal', 'refused'],
    ['IMAGE_RECITATION', 'refused'],
    ['continuation', 'length'],
  ])('that ended with %s is %s', async (reason, finish) => {
    const answer = await askFor('Half of', reason);
    expect(answer).toMatchObject({ text: 'Half of', finish });
    expect(answer).not.toHaveProperty('unknownFinish');
  });

  test.each([
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'MALFORMED_RESPONSE',
    'TOO_MANY_TOOL_CALLS',
    'malformed_model_output',
    'malformed_tool_use',
    'compaction',
    'NO_IMAGE',
  ])('that ended with %s failed', async (reason) => {
    for (const text of ['', 'Half of']) {
      await expect(askFor(text, reason)).resolves.toMatchObject({ text, finish: 'failed', failure: reason });
    }
  });

  test('that is a call of a tool, which no model has, failed', async () => {
    const failed = { finish: 'failed', failure: 'tool_calls' };
    await expect(askFor('', 'tool_calls')).resolves.toMatchObject(failed);
  });

  test('that ended for an unknown reason is complete unless it looks cut off', async () => {
    await expect(askFor('It is done.', 'Vacation')).resolves.toMatchObject({
      finish: 'complete',
      unknownFinish: 'vacation',
    });
    await expect(askFor('It is done, and', 'Vacation')).resolves.toMatchObject({ finish: 'length' });
  });

  test('that ended with the context window is an error', async () => {
    await expect(askFor('Half of', 'model_context_window_exceeded')).rejects.toMatchObject({
      kind: 'context-length',
    });
  });
});

function groq(code: string) {
  return {
    error: { message: 'Adjust your prompt.', type: 'invalid_request_error', code, failed_generation: '{' },
  };
}

describe('a mistake of the model that a provider reports as an error is an answer that failed', () => {
  test.each([
    ['tool_use_failed', groq('tool_use_failed')],
    ['output_parse_failed', groq('output_parse_failed')],
    ['json_validate_failed', groq('json_validate_failed')],
    [
      'tool_use_failed',
      {
        error: {
          code: 400,
          message: 'Provider returned error',
          metadata: { raw: JSON.stringify(groq('tool_use_failed')) },
        },
      },
    ],
  ])('%s in %j', async (failure, body) => {
    server.reply = { status: 400, body };
    await expect(
      openModelAt(PROVIDER_CASES['openai-compatible'], server.url).ask(requestOf(), UNHURRIED),
    ).resolves.toEqual({ text: '', finish: 'failed', failure, model: 'qwen', usage: {} });
    expect(server.received).toHaveLength(1);
  });
});

describe('an answer that cannot be used is charged', () => {
  const reason = 'model_context_window_exceeded';
  const usages = { prompt_tokens: 9_000, completion_tokens: 4_000, total_tokens: 13_000 };
  const chat = (choice: object, usage: object = usages) => ({ choices: [choice], usage });
  const broken = { message: { content: 'Half of' }, finish_reason: 'error' };
  test.each<[string, ProviderName, unknown, string, Usage | undefined]>([
    [
      'that filled the window',
      'anthropic',
      {
        content: [{ type: 'text', text: 'Half of' }],
        stop_reason: reason,
        usage: { input_tokens: 198_000, output_tokens: 2_000 },
      },
      'context-length',
      { input: 198_000, output: 2_000 },
    ],
    [
      'that filled the window',
      'bedrock',
      {
        output: { message: { content: [{ text: 'Half of' }] } },
        stopReason: reason,
        usage: { inputTokens: 198_000, outputTokens: 2_000 },
      },
      'context-length',
      { input: 198_000, output: 2_000 },
    ],
    [
      'that broke off',
      'gemini',
      {
        candidates: [{ content: { parts: [{ text: 'Half of' }] }, finishReason: 'ERROR' }],
        usageMetadata: { promptTokenCount: 9_000, totalTokenCount: 13_000 },
      },
      'unavailable',
      { input: 9_000, output: 4_000 },
    ],
    ['that broke off', 'openai-compatible', chat(broken), 'unavailable', { input: 9_000, output: 4_000 }],
    ['that broke off without a usage', 'openai-compatible', chat(broken, {}), 'unavailable', {}],
    [
      'that broke off with an error',
      'openai-compatible',
      chat({ ...broken, error: { code: 502, message: 'Upstream idle timeout' } }),
      'unavailable',
      { input: 9_000, output: 4_000 },
    ],
    [
      'that is only reasoning',
      'openai-compatible',
      chat({ message: { content: '', reasoning: 'Blue' }, finish_reason: 'stop' }),
      'bad-request',
      { input: 9_000, output: 4_000 },
    ],
    [
      'an error with a usage of nothing, which is no answer',
      'openai-compatible',
      chat(
        { message: { content: '' }, error: { code: 429, message: 'Slow down' } },
        { prompt_tokens: 0, completion_tokens: 0 },
      ),
      'rate-limit',
      undefined,
    ],
  ])('%s: %s', async (_, provider, body, kind, usage) => {
    server.reply = { body };
    const asked = openModelAt(PROVIDER_CASES[provider], server.url).ask(requestOf(), UNHURRIED);
    const error = await catchModelError(asked);
    expect([error.kind, error.usage]).toEqual([kind, usage]);
  });

  test('and is not sent again with a lower limit, which another call would have to pay', async () => {
    server.reply = { body: chat({ message: { content: 'Half of' }, finish_reason: reason }) };
    const knowledge = createKnowledge({ extraTokens: 4_096 });
    const { 'openai-compatible': compatible } = PROVIDER_CASES;
    const spec = parseModelSpec(compatible.spec(server.url));
    const model = await openModel(spec, compatible.environment(), { knowledge });
    await expect(model.ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: 'context-length' });
    expect(server.received).toHaveLength(1);
  });
});

function askMessage(message: object, finish_reason: string): Promise<ModelAnswer> {
  server.reply = { body: { choices: [{ message, finish_reason }] } };
  return openModelAt(PROVIDER_CASES['openai-compatible'], server.url).ask(requestOf(), UNHURRIED);
}

const THINKING = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };

describe('the message of a chat completion', () => {
  test.each<[object, string, object]>([
    [{ content: [{ type: 'text', text: 'Hi.' }] }, 'stop', { text: 'Hi.', finish: 'complete' }],
    [
      { content: [THINKING, { type: 'text', text: 'Hi ' }, { type: 'text', text: 'there.' }] },
      'stop',
      { text: 'Hi there.' },
    ],
    [{ content: ['Hi ', 'there.'] }, 'stop', { text: 'Hi there.' }],
    [{ content: [{ type: 'output_text', text: 'Hi.' }] }, 'stop', { text: 'Hi.' }],
    [{ content: [{ type: 'refusal', refusal: 'No.' }] }, 'stop', { text: 'No.', finish: 'refused' }],
    [{ content: [] }, 'stop', { text: '', finish: 'complete' }],
    [{ content: [THINKING] }, 'stop', { text: '', finish: 'complete' }],
    [{ content: null }, 'stop', { text: '', finish: 'complete' }],
    [{ content: 'Hi.', reasoning_content: 'Hm.' }, 'stop', { text: 'Hi.', finish: 'complete' }],
    [{ content: null, reasoning_content: 'Hm.' }, 'length', { text: '', finish: 'reasoning' }],
    [{ content: '', reasoning: 'Hm.' }, 'length', { text: '', finish: 'reasoning' }],
    [{ content: null, reasoning_content: '' }, 'stop', { text: '', finish: 'complete' }],
    [{ content: null, reasoning: { effort: 'low' } }, 'stop', { text: '', finish: 'complete' }],
  ])('%j that ended with %s', async (message, reason, expected) => {
    await expect(askMessage(message, reason)).resolves.toMatchObject(expected);
  });

  test.each(['reasoning', 'reasoning_content'])(
    'with its text in %s names the options of servers',
    async (field) => {
      await expect(askMessage({ content: null, [field]: 'Hi.' }, 'stop')).rejects.toMatchObject({
        kind: 'bad-request',
        message: expect.stringMatching(
          new RegExp(`whole text is in ${field}.*--reasoning-parser.*--reasoning-format`),
        ),
      });
    },
  );

  test('with its text beside it is an empty answer once the server has answered', async () => {
    const model = openModelAt(PROVIDER_CASES['openai-compatible'], server.url);
    reply('Hi.', 'stop');
    await model.ask(requestOf(), UNHURRIED);
    server.reply = {
      body: { choices: [{ message: { content: null, reasoning: 'Hm.' }, finish_reason: 'stop' }] },
    };
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({ text: '', finish: 'complete' });
  });
});

/** Reads a batch with these results, whose requests asked for so many tokens. */
async function readBatch(results: readonly BatchResult[], knowledge: Knowledge, maxTokens = 100) {
  const api: BatchApi = {
    ...NO_BATCHES,
    async *results() {
      yield* results;
    },
  };
  const file = { id: 'b', requests: 1, sentAtMs: 0, read: async () => '' };
  const read: BatchResult[] = [];
  const asked = { maxTokens, temperature: 0 };
  for await (const result of createBatchModel(api, knowledge).results('b', file, () => asked))
    read.push(result);
  return read;
}

test('the answers of a batch are taken apart as well', async () => {
  const answer = { text: '<think>Hm.</think>Hi.', finish: 'complete', model: 'm', usage: {} } as const;
  expect(await readBatch([{ customId: 'a', answer }], createKnowledge())).toMatchObject([
    { answer: { text: 'Hi.', raw: answer.text } },
  ]);
});

type LessonCase = readonly [
  name: string,
  rejections: readonly (OptionalParameter | undefined)[],
  corrected: readonly (true | undefined)[],
  facts: ModelFacts,
];

test.each<LessonCase>([
  // The first line teaches it; each line with it would be sent differently.
  ['temperature', ['temperature', 'temperature'], [true, true], { temperature: 'rejected' }],
  ['nothing', [undefined], [undefined], {}],
  ['a parameter that was left out', ['seed'], [undefined], { seed: 'rejected' }],
  ['both names of the limit', ['max_completion_tokens'], [true], { tokenLimitName: 'max_tokens' }],
  ['the other name as well', ['max_tokens'], [undefined], { tokenLimitName: 'max_tokens' }],
  ['a system message', ['alternation'], [true], { systemRole: 'rejected' }],
  ['chat completions', ['chat-completions'], [true], { api: 'responses' }],
])(
  'lines of a batch that reject %s teach what a direct answer does',
  async (_, rejections, corrected, facts) => {
    const results = rejections.map((rejected): BatchResult => {
      return { customId: 'a', error: new ModelError('bad-request', 'No.', undefined, { rejected }) };
    });
    const knowledge = createKnowledge(corrected[0] === undefined ? facts : {});
    const read = await readBatch(results, knowledge);
    expect(read.map((result) => 'error' in result && result.isCorrected)).toEqual(corrected);
    expect(knowledge.facts()).toEqual(facts);
  },
);

/** The result of a request whose reasoning used up its limit. */
const USED_UP: BatchResult = {
  customId: 'a',
  answer: { text: '<think>Hm.', finish: 'length', model: 'm', usage: {} },
};

const renderLimit: BatchApi['render'] = (_id, _request, { tokenLimit }) => String(tokenLimit);

test('a batch whose reasoning used up a limit raises that of the next one', async () => {
  const knowledge = createKnowledge();
  const model = createBatchModel({ ...NO_BATCHES, render: renderLimit }, knowledge);
  expect(model.render('a', requestOf(), {})).toBe('2048');
  expect(await readBatch([USED_UP], knowledge, 2048)).toMatchObject([{ answer: { finish: 'reasoning' } }]);
  expect(model.render('b', requestOf(), {})).toBe('18432');
});

test.each([
  [2048, [[{ extraTokens: 16_384 }, 'Reasoning used up the limit of 2,448 tokens, without an answer.']]],
  [100, []],
])('a limit of %i tokens that reasoning used up in a batch teaches %j', async (maxTokens, expected) => {
  const learn = jest.fn();
  const reasoning = { efforts: [], counts: true, allowance: 400 };
  await readBatch([USED_UP], { ...createKnowledge({ reasoning }), learn }, maxTokens);
  expect(learn.mock.calls).toEqual(expected);
});

const NO_BATCHES: BatchApi = {
  most: { requests: 1, bytes: 1 },
  account: '',
  render: () => '',
  find: async () => [],
  submit: async () => '',
  poll: async () => ({ state: 'waiting' }),
  async *results() {},
  cancel: async () => undefined,
};

test.each([
  ['Do this.\n\n**Steps:**\n1. Stir.', '### User:\nThanks.'],
  ['steps:\n  - stir', 'User:\nThanks.'],
  ['Stir it.', 'User:\nThanks.\n\nTell me more.\n\nAssistant: Yes.\n\nIt is hot.'],
  ['Stir it.', `Human:\n${'And then? '.repeat(60)}\n\nAI:\nServe it.`],
  ['Stir it.', 'User:\nThanks.\n\n---'],
])('after %j, the invented turn %j is cut off', async (answer, turn) => {
  await expect(separate(`${answer}\n\n${turn}`)).resolves.toMatchObject({ text: answer });
});

test.each(['\u200B', '\uFEFF', ' ', '\n'])(
  'a long run of %j within an answer takes linear time',
  async (blank) => {
    const answer = `# A${blank.repeat(200_000)}B`;
    expect(trimText(`${blank}${answer}${blank}`)).toBe(answer);
    await expect(separate(`${answer}\n\nUser:\nHi.<|im_end|>`)).resolves.toMatchObject({
      text: expect.stringContaining(answer),
    });
  },
);

test('a word that other answers also have keeps only a label without #', async () => {
  const answer = 'The script works again.';
  await expect(separate(`${answer}\n\n### User:\nThanks.`)).resolves.toMatchObject({ text: answer });
});

test.each([
  ['### Title\n<think>Hm.</think>\nShe', true],
  ['{"a": "<think>Hm.</think>She"}', true],
  ['- text: <think>Hm.</think>She', true],
  ['She writes <think>Hm.</think> often', false],
  ['### Title\n<think>', false],
])('reasoning at the beginning of a part of %j: %j', (text, expected) => {
  expect(hasInnerReasoning(text)).toBe(expected);
});
