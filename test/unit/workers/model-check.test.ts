import { join } from 'node:path';
import { listFindings } from '../../../runs/plan/model-findings';
import { readLedgerLines } from '../../../data/run/ledger';
import { createFolderStore } from '../../../data/store/store';
import {
  checkNamedModels,
  checkRunModels,
  writeModelCheck,
  listUsesToCheck,
  type CheckedModel,
} from '../../../workers/model-check';
import { openKnowledge } from '../../../workers/model-knowledge';
import { ProviderServer } from '../models/providers/provider-server';
import { createTemporaryFolder } from '../../temporary-folder';

const folder = createTemporaryFolder();

const server = ProviderServer.inEachTest();
let environment: Record<string, string>;

beforeEach(() => {
  environment = {
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: server.url,
  };
});

const LIST_IS_DOWN = { status: 500, body: { error: { message: 'down' } } };
const COMPLETION = {
  status: 200,
  body: {
    object: 'chat.completion',
    model: 'm',
    service_tier: 'flex',
    choices: [{ index: 0, message: { role: 'assistant', content: 'rea' }, finish_reason: 'length' }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  },
};

function error(status: number, message: string, param: string | null = null) {
  return { status, body: { error: { message, param, type: 'invalid_request_error', code: null } } };
}

function optionsOf(today = '2026-11-22') {
  return { environment, signal: new AbortController().signal, today };
}

test('a model is called once with the parameters and the tier of its first step, and any answer is good', async () => {
  server.reply = { find: ({ path }) => (path.endsWith('/completions') ? COMPLETION : LIST_IS_DOWN) };
  const store = createFolderStore(join(folder, 'called'));
  const spec = 'openai:gpt-5.4';
  const uses = listUsesToCheck([
    { spec, asking: { temperature: 0.7, reasoningEffort: 'low' } },
    { spec, asking: { temperature: 0 } },
    { spec: 'simulated:default', asking: { temperature: 0 } },
  ]);
  const onLearned = jest.fn();
  const check = await checkRunModels(store, { tiers: { [spec]: 'flex' } }, uses, {
    ...optionsOf(),
    onLearned,
  });
  const calls = server.received.filter(({ path }) => path.endsWith('/completions'));
  expect(calls.map(({ body }) => body)).toEqual([
    expect.objectContaining({
      model: 'gpt-5.4',
      messages: [
        { role: 'developer', content: expect.any(String) },
        { role: 'user', content: expect.any(String) },
      ],
      reasoning_effort: 'low',
      service_tier: 'flex',
    }),
  ]);
  expect(listFindings(check.models)).toEqual({ failures: [], warnings: [] });
  expect(await ledgerOf(store)).toEqual([]);

  await writeModelCheck(store, check);
  expect(await ledgerOf(store)).toEqual([
    expect.objectContaining({ event: 'sent', call: 1, spec, step: 'check', tier: 'flex' }),
    expect.objectContaining({ event: 'answered', call: 1, usage: { input: 9, output: 2 } }),
  ]);
});

test('a check that is charged without an answer is in the ledger with its usage', async () => {
  const choices = [{ message: { content: 're' }, finish_reason: 'error' }];
  const { usage } = COMPLETION.body;
  server.reply = {
    find: ({ path }) => (path.endsWith('/completions') ? { body: { choices, usage } } : LIST_IS_DOWN),
  };
  const store = createFolderStore(join(folder, 'broken-off'));
  const uses = [{ spec: 'openai:gpt-5.4', asking: { temperature: 0 } }];
  const check = await checkRunModels(store, {}, uses, { ...optionsOf(), onLearned: jest.fn() });
  await writeModelCheck(store, check);
  expect(await ledgerOf(store)).toContainEqual({
    event: 'failed',
    call: 1,
    kind: 'unavailable',
    usage: { input: 9, output: 2 },
  });
});

test('a parameter that the check is rejected for is known to the run, which does not send it', async () => {
  server.reply = {
    find: ({ path, body }) => {
      if (!path.endsWith('/completions')) return LIST_IS_DOWN;
      const asks = JSON.stringify(body).includes('"seed"');
      return asks ? error(400, "Unsupported parameter: 'seed'.", 'seed') : COMPLETION;
    },
  };
  const store = createFolderStore(join(folder, 'learned'));
  const spec = 'openai:new-model';
  const onLearned = jest.fn();
  const uses = [{ spec, asking: { temperature: 0 } }];
  const check = await checkRunModels(store, {}, uses, { ...optionsOf(), onLearned });
  expect(onLearned).toHaveBeenCalledTimes(1);
  await writeModelCheck(store, check);
  expect((await openKnowledge(store, {}, onLearned))(spec).facts()).toMatchObject({ seed: 'rejected' });
});

test.each([
  ['rate limit', 429, 'Rate limit reached.'],
  ['outage', 503, 'The server is overloaded.'],
])('a failure that may pass is a warning, since the run copes with it: %s', async (_, status, message) => {
  server.reply = error(status, message);
  const { failures, warnings } = listFindings(await checked('openai:gpt-6-luna'));
  expect(failures).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(message)]);
});

test('a name that nobody knows and no provider confirms is compared with the known ones', async () => {
  server.reply = error(503, 'The server is overloaded.');
  expect(listFindings(await checked('openai:gpt-6-lunna')).warnings).toEqual([
    expect.stringMatching(/overloaded.* Did you mean openai:gpt-6-luna\?/),
  ]);
});

test('a key that is missing is a failure like others', async () => {
  const without = { ...optionsOf(), environment: {} };
  const models = await checkNamedModels([{ spec: 'openai:gpt-6-luna', asking: { temperature: 0 } }], without);
  expect(listFindings(models).failures).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
});

test('what a provider says of the end of a model wins over the table', async () => {
  server.reply = {
    find: ({ path }) => {
      if (path === '/v1/models/gpt-4o')
        return { status: 200, body: { id: 'gpt-4o', shutdown_date: '2026-12-01' } };
      if (path === '/v1/models/claude-opus-5')
        return { status: 200, body: { id: 'claude-opus-5', retires_at: '2026-12-24T00:00:00Z' } };
      if (path === '/v1/messages') {
        const content = [{ type: 'text', text: 'ready' }];
        return {
          status: 200,
          body: { type: 'message', model: 'claude-opus-5', content, stop_reason: 'end_turn' },
        };
      }
      return path.endsWith('/completions') ? COMPLETION : LIST_IS_DOWN;
    },
  };
  const models = [...(await checked('openai:gpt-4o')), ...(await checked('anthropic:claude-opus-5'))];
  expect(listFindings(models)).toEqual({
    failures: [],
    warnings: [
      'openai:gpt-4o: Retires on 2026-12-01, in 9 days. Its provider recommends gpt-6-luna.',
      'anthropic:claude-opus-5: Retires on 2026-12-24, in 32 days.',
    ],
  });
});

test('where the provider does not say, the table does; a retired model that answers is a warning', async () => {
  server.reply = { find: ({ path }) => (path.endsWith('/completions') ? COMPLETION : LIST_IS_DOWN) };
  expect(listFindings(await checked('openai:gpt-4.1-nano'))).toEqual({
    failures: [],
    warnings: ['openai:gpt-4.1-nano: Retired on 2026-10-23. Its provider recommends gpt-5.6-luna.'],
  });
});

async function checked(spec: string): Promise<CheckedModel[]> {
  return checkNamedModels([{ spec, asking: { temperature: 0 } }], optionsOf());
}

async function ledgerOf(store: ReturnType<typeof createFolderStore>): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { lines } of await readLedgerLines(store)) {
    for await (const line of lines) found.push(line);
  }
  return found;
}
