import { join } from 'node:path';
import { setImmediate as settled } from 'node:timers/promises';
import { CallGate } from '../../../activities/call-gate';
import { askModel, buildRequest, type Question } from '../../../activities/ask-model';
import { RunEvents } from '../../../activities/run-events';
import { RunLedger } from '../../../activities/run-ledger';
import { openJournal } from '../../../data/run/journal';
import { createFolderStore } from '../../../data/store/store';
import { ModelError } from '../../../models/errors/error';
import type { JournalEntry } from '../../../schemas/run/journal';
import { buildRules } from '../../../rules/method/judge';
import { buildJournalEntry } from '../../journal-entry';
import { createTemporaryFolder } from '../../temporary-folder';
import { openIdleWorld } from '../workers/idle-world';

const folder = createTemporaryFolder();

const CALL = { workflowId: 'r/p1', step: 'factors', turn: 0, revision: 0 } as const;

const QUESTION: Question = {
  spec: 'openai:gpt-9',
  limits: { temperature: 0, maxTokens: 100, maxRepairs: 4, maxSamples: 2 },
  place: [],
  form: 'prompt',
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Name a color.' }],
  values: {},
  includesReason: true,
  rules: buildRules(() => ({ ok: false, reason: 'it is empty' })),
};

/** Builds the request that follows an answer. */
async function requestAfter(answer: Partial<JournalEntry['answer']>) {
  const run = {
    settings: { seed: 42 },
    prompts: { source: 'built-in', hash: 'h', prompts: {} },
    journal: { get: async (key: string) => buildJournalEntry(key, answer) },
  };
  return (await buildRequest(run, { call: CALL, number: 1 }, QUESTION)).asked;
}

test.each<[string, Partial<JournalEntry['answer']>]>([
  ['used up its tokens by reasoning', { text: '', finish: 'reasoning' }],
  ['failed', { text: '', finish: 'failed', failure: 'MALFORMED_FUNCTION_CALL' }],
  ['failed within its text', { text: 'Re', finish: 'failed', failure: 'malformed_model_output' }],
])('an answer that %s is asked for again unchanged, as a new sample', async (_, answer) => {
  const { messages } = await requestAfter(answer);
  expect(messages).toEqual(QUESTION.messages);
});

test('an empty answer is asked for again with the reason', async () => {
  const { messages } = await requestAfter({ text: '', finish: 'complete' });
  expect(messages.at(-1)?.content).toContain('it is empty');
});

test.each([
  ['as reported', { input: 9_000, output: 4_000 }, { input: 9_000, output: 4_000 }],
  ['at its estimate, as no usage is reported', {}, { input: 6, output: 100 }],
  [
    'at its estimate, as the reported usage is impossible',
    { input: 0, output: 9 },
    { input: 6, output: 100 },
  ],
])('a call that broke off is charged %s', async (name, usage, assumedTokens) => {
  const store = createFolderStore(join(folder, name));
  const prompts = { source: 'built-in' as const, hash: 'h', prompts: {} };
  const run = { id: 'r', store, journal: openJournal(store), settings: { seed: 42 }, prompts };
  using ledger = new RunLedger(store, 'own', new RunEvents());
  const error = new ModelError('unavailable', 'The answer broke off.', undefined, { usage });
  const model = async () => ({ ask: () => Promise.reject(error) });
  const world = { ...openIdleWorld(run, new Set([QUESTION.spec])), ledger, model };
  await expect(askModel(world, { call: CALL, number: 0 }, QUESTION)).rejects.toBe(error);
  expect(ledger.rows()).toMatchObject([{ failures: { unavailable: 1 }, lostCalls: 1, assumedTokens }]);
});

test('a call that another process answered while it waited here is not sent', async () => {
  const store = createFolderStore(folder);
  const prompts = { source: 'built-in' as const, hash: 'h', prompts: {} };
  const run = { id: 'r', store, journal: openJournal(store), settings: { seed: 42 }, prompts };
  const gate = new CallGate(new RunEvents());
  const world = { ...openIdleWorld(run, new Set([QUESTION.spec])), gate };
  const release = gate.hold();
  const asked = askModel(world, { call: CALL, number: 0 }, QUESTION);
  while (gate.count(() => true) === 0) await settled();
  const { key, request, settings } = await buildRequest(run, { call: CALL, number: 0 }, QUESTION);
  // Nothing is known of the other process's answer here.
  await openJournal(store).append({ ...buildJournalEntry(key, { text: 'Red.' }), request, settings });
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now + 60_000);
  release();
  expect((await asked).entry.answer.text).toBe('Red.');
  jest.restoreAllMocks();
});
