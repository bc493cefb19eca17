import { join } from 'node:path';
import { pollBatches } from '../../../../activities/batch/poll';
import { submitBatch } from '../../../../activities/batch/submit';
import type { RunEvent } from '../../../../activities/run-events';
import { createBatch, readBatch } from '../../../../data/run/batches';
import { openJournal } from '../../../../data/run/journal';
import { readLedgerLines } from '../../../../data/run/ledger';
import { loadPromptPack } from '../../../../data/prompts/load';
import { createFolderStore } from '../../../../data/store/store';
import { settleLedgers } from '../../../../engine/costs/ledger';
import type { BatchModel } from '../../../../models/batches/batch';
import { ModelError } from '../../../../models/errors/error';
import type { ModelErrorKind } from '../../../../schemas/model/error-kind';
import type { BatchCall } from '../../../../schemas/run/batch';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const SPEC = 'openai:gpt-5';

/** A provider that keeps every batch it receives, and lists only those marked as listed. */
class Provider {
  readonly made: { readonly id: string; listed: boolean; cancelled: boolean }[] = [];
  sends = 0;
  looks = 0;
  /** The answer to the next batch; absent: its id. */
  answer: ModelErrorKind | undefined;
  /** Whether it makes the next batch. */
  makes = true;

  readonly model: BatchModel = {
    most: { requests: 10, bytes: 1_000 },
    account: 'account',
    render: () => '{}',
    find: async () => {
      this.looks += 1;
      return this.made.filter(({ listed }) => listed).map(({ id }) => id);
    },
    submit: async () => {
      this.sends += 1;
      const id = `batch_${this.sends}`;
      if (this.makes) this.made.push({ id, listed: this.answer === undefined, cancelled: false });
      if (this.answer !== undefined) throw new ModelError(this.answer, 'The provider gave no clear answer.');
      return id;
    },
    poll: async (id) =>
      this.made.find((one) => one.id === id)?.cancelled === true
        ? { state: 'ended', outcome: 'cancelled' }
        : { state: 'waiting' },
    async *results() {},
    cancel: async (id) => {
      const batch = this.made.find((one) => one.id === id);
      if (batch !== undefined) batch.cancelled = true;
    },
  };
}

let nowMs: number;
beforeEach(() => {
  nowMs = 1_700_000_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
});
afterEach(() => jest.restoreAllMocks());

async function startRun(name: string) {
  const store = createFolderStore(join(folder, name));
  const estimate = { input: 100, output: 50 };
  const calls = [1, 2].map((number): BatchCall => {
    return {
      number,
      key: `run/i${number}#a`,
      request: 'hash',
      settings: '{}',
      maxTokens: 9,
      temperature: 0,
      estimate,
    };
  });
  const batch = { number: 1, id: 'run-b1-abc', spec: SPEC, step: 'infer', requests: 2, estimate } as const;
  await createBatch(store, batch, calls, ['{}', '{}']);
  const provider = new Provider();
  const events: RunEvent[] = [];
  const journal = openJournal(store);
  const run = {
    id: 'run',
    store,
    journal,
    settings: { seed: 1 },
    prompts: await loadPromptPack(undefined, []),
  };
  const world = {
    run,
    batches: async () => provider.model,
    emit: (event: RunEvent) => void events.push(event),
  };
  const input = { run: 'run', number: 1, waitMs: 3_600_000 };
  return {
    provider,
    events,
    submit: () => submitBatch(world, input),
    poll: () => pollBatches(world, { run: 'run', numbers: [1], waitMs: 3_600_000 }),
    read: () => readBatch(store, 1),
    readRows: async () => {
      const ledgers = await settleLedgers(await readLedgerLines(store), [], async () => undefined);
      return ledgers.map(({ rows, inFlight }) => ({ rows, inFlight: inFlight.length }));
    },
  };
}

/** Submits repeatedly, like a retried activity, until there is no failure or `untilMs` is over. Returns the waits in seconds. */
async function retry(submit: () => Promise<void>, untilMs: number): Promise<number[]> {
  const waits: number[] = [];
  while (nowMs < untilMs) {
    try {
      await submit();
      return waits;
    } catch (error) {
      if (!(error instanceof ModelError) || error.retryAfterMs === undefined) throw error;
      waits.push(error.retryAfterMs / 1_000);
      nowMs += error.retryAfterMs;
    }
  }
  return waits;
}

test.each<ModelErrorKind>(['unavailable', 'timeout', 'connection'])(
  'a batch that the provider made, although it answered "%s", and lists a minute later is sent once',
  async (kind) => {
    const { provider, submit, read, events } = await startRun(`late-${kind}`);
    provider.answer = kind;
    await expect(submit()).rejects.toMatchObject({ kind });
    provider.answer = undefined;
    expect(await retry(submit, nowMs + 60_000)).toEqual([1, 1, 2, 4, 8, 16, 30]);
    for (const batch of provider.made) batch.listed = true;
    await submit();
    expect(await read()).toMatchObject({ providerId: 'batch_1' });
    expect(provider).toMatchObject({ sends: 1, looks: 8 });
    expect(events).toEqual([]);
  },
);

test('a batch that never arrived is sent again after its provider has not listed it for two minutes, also after a restart', async () => {
  const { provider, submit, read } = await startRun('lost');
  Object.assign(provider, { answer: 'connection', makes: false });
  await expect(submit()).rejects.toMatchObject({ kind: 'connection' });
  Object.assign(provider, { answer: undefined, makes: true });
  // The command returns a day later, without a request so far.
  nowMs += 86_400_000;
  await expect(submit()).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
  nowMs += 119_000;
  await expect(submit()).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
  expect(provider.sends).toBe(1);
  nowMs += 1_000;
  await submit();
  expect(provider.sends).toBe(2);
  expect(await read()).toMatchObject({ providerId: 'batch_2', submission: { sends: 2 } });
});

test.each<ModelErrorKind>(['rate-limit', 'no-capacity'])(
  'a batch that was rejected (%s) has not arrived, so it is sent again at once',
  async (kind) => {
    const { provider, submit, read } = await startRun(`rejected-${kind}`);
    Object.assign(provider, { answer: kind, makes: false });
    await expect(submit()).rejects.toMatchObject({ kind });
    await expect(submit()).rejects.toMatchObject({ kind });
    Object.assign(provider, { answer: undefined, makes: true });
    await submit();
    expect(provider).toMatchObject({ sends: 3, looks: 0 });
    expect(await read()).toMatchObject({ providerId: 'batch_3', submission: { sends: 1 } });
  },
);

test('a rejection does not settle whether an earlier batch arrived', async () => {
  const { provider, submit, read } = await startRun('rejected-later');
  provider.answer = 'timeout';
  await expect(submit()).rejects.toMatchObject({ kind: 'timeout' });
  await expect(submit()).rejects.toMatchObject({ kind: 'unavailable' });
  nowMs += 120_000;
  Object.assign(provider, { answer: 'rate-limit', makes: false });
  await expect(submit()).rejects.toMatchObject({ kind: 'rate-limit' });
  for (const batch of provider.made) batch.listed = true;
  await submit();
  expect(await read()).toMatchObject({ providerId: 'batch_1' });
  expect(provider.sends).toBe(2);
});

test('of two batches of one id the older counts, the other is cancelled, and the ledger says so', async () => {
  const { provider, submit, poll, read, readRows, events } = await startRun('twice');
  provider.answer = 'unavailable';
  await expect(submit()).rejects.toMatchObject({ kind: 'unavailable' });
  provider.answer = undefined;
  await expect(submit()).rejects.toMatchObject({ kind: 'unavailable' });
  nowMs += 120_000;
  await submit();
  expect(await read()).toMatchObject({ providerId: 'batch_2' });
  await poll();
  expect(provider.made.map(({ cancelled }) => cancelled)).toEqual([false, false]);

  for (const batch of provider.made) batch.listed = true;
  await poll();
  await poll();
  expect(provider.made.map(({ cancelled }) => cancelled)).toEqual([false, true]);
  expect(await read()).toMatchObject({ providerId: 'batch_1', duplicates: ['batch_2'] });
  expect(await readRows()).toMatchObject([
    {
      rows: [
        {
          tier: 'batch',
          failures: { duplicate: 2 },
          lostCalls: 2,
          assumedTokens: { input: 200, output: 100 },
        },
      ],
      inFlight: 2,
    },
  ]);
  expect(events).toEqual([
    expect.objectContaining({
      type: 'noticed',
      message: expect.stringContaining('The oldest (batch_1) counts'),
    }),
  ]);
});
