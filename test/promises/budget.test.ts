import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { openJournal } from '../../data/run/journal';
import { readLedgerLines } from '../../data/run/ledger';
import { createFolderStore } from '../../data/store/store';
import { computeTotals } from '../../engine/costs/ledger';
import { computeSpent, sumTokens } from '../../engine/costs/prices';
import type { CallEstimate, SentLine } from '../../schemas/run/ledger';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import type { Running } from '../end-to-end/command';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from '../end-to-end/journal';
import { readRunLedger } from '../end-to-end/ledgers';
import { runLoaded } from '../end-to-end/loaded-command';
import { endLeftovers, startSynth, untilSaid, interrupt, kill } from '../end-to-end/processes';
import { buildPriceTable } from '../price-table';

const folder = createTemporaryFolder();
afterAll(endLeftovers);

// Concurrent, each with a model of its own.

test.concurrent('a budget in tokens pauses the run, is passed by no more than the calls in flight, and once raised the run continues to its end', async () => {
  const standIn = await startStandIn({ latency: 100 });
  const run = join(folder, 'tokens');
  const cap = 120_000;
  const running = startSynth(run, ...options(standIn), '--budget', '120ktok');
  await untilSaid(running, 'The budget of 120ktok is used up');
  expect(running.stderr()).toContain('cupid set');
  await untilUsedUp(run, running);
  const asked = standIn.received.length;
  const spent = tokensAt(standIn);
  expect(spent).toBeGreaterThan(cap * USED_UP);
  expect(spent).toBeLessThan(cap + 16 * largestCall(standIn));

  const low = await runLoaded(['set', run, '--budget', '60ktok']);
  expect(low).toMatchObject({ code: 2, stdout: '' });
  expect(low.stderr).toContain('has already spent');
  await wait(3_000);
  expect(standIn.received).toHaveLength(asked);
  standIn.latency = 0;
  const raised = await runLoaded(['set', run, '--budget', '20Mtok']);
  expect(raised).toMatchObject({ code: 0 });
  await expect(running.ended).resolves.toMatchObject({ code: 0 });
  await standIn.goDown();
  const ledger = await readRunLedger(run);
  expect(sumTokens(ledger)).toBe(tokensAt(standIn));
  expect(computeTotals(ledger)).toMatchObject({
    calls: standIn.received.length,
    lostCalls: 0,
    uncountedCalls: 0,
  });
});

test.concurrent.each([
  ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ['a quadrillion of tokens', { prompt_tokens: 1e15, completion_tokens: 1, total_tokens: 1e15 }],
])(
  'a budget is kept by estimates with a provider that reports %s, which is said once',
  async (name, usage) => {
    const standIn = await startStandIn({ latency: 100 });
    standIn.usage = usage;
    const run = join(folder, name);
    const running = startSynth(run, ...options(standIn), '--budget', '60ktok');
    await untilSaid(running, 'The budget of 60ktok is used up');
    await untilUsedUp(run, running);
    await interrupt(running);
    await standIn.goDown();
    const totals = computeTotals(await readRunLedger(run));
    expect(totals).toMatchObject({ input: 0, output: 0, uncountedCalls: totals.calls });
    expect(totals.calls).toBeGreaterThan(5);
    expect(running.stderr().split('reported a usage that cannot be true')).toHaveLength(2);
  },
);

test.concurrent('a budget in money is kept by the prices that were given, over restarts too', async () => {
  const standIn = await startStandIn({ latency: 100 });
  const run = join(folder, 'money');
  const models = join(folder, 'models.json');
  const table = buildPriceTable({ 'openai-compatible:stand-in': { input: 2, output: 10 } });
  await writeFile(models, JSON.stringify(table));
  const first = startSynth(run, ...options(standIn), '--budget', '0.3usd', '--models', models);
  await untilJournalHas(run, 30, first);
  await interrupt(first);
  // Neither is named again, because a budget outlives the command that set it.
  const second = startSynth(run, ...options(standIn));
  await untilSaid(second, 'The budget of 0.3usd is used up');
  await untilUsedUp(run, second);
  await interrupt(second);
  await standIn.goDown();
  const spent = computeSpent(await readRunLedger(run), table).usd;
  expect(spent).toBeGreaterThan(0.3 * USED_UP);
  expect(spent).toBeLessThan(0.3 + (16 * largestCall(standIn) * 10) / 1e6);
});

test.concurrent('a budget in money with a model without a price is refused before anything is begun', async () => {
  const run = join(folder, 'unpriced');
  const spec = 'openai-compatible:nobody-knows@http://127.0.0.1:9/v1';
  const ended = await runLoaded(['synth', '--output-dir', run, '--model', spec, '--budget', '5usd']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('openai-compatible:nobody-knows has none');
  expect(ended.stderr).toContain('--models');
});

test.concurrent('the ledger is what the model counted; calls lost with a killed process are listed, and charged exactly as they were estimated', async () => {
  const standIn = await startStandIn({ latency: 400 });
  const run = join(folder, 'killed');
  for (const calls of [60, 120]) {
    const running = startSynth(run, ...options(standIn));
    await untilJournalHas(run, calls, running);
    await standIn.untilAsked();
    await kill(running);
  }
  standIn.latency = 0;
  expect(await runLoaded(['synth', '--output-dir', run, ...options(standIn)])).toMatchObject({ code: 0 });
  await standIn.goDown();
  const ledger = await readRunLedger(run);
  const { calls, lostCalls, assumedTokens } = computeTotals(ledger);
  // The model sees a lost call as a request that came twice.
  const requests = new Map(standIn.received.map(({ bodyHash, tokens }) => [bodyHash, tokens]));
  const twice = standIn.received.length - requests.size;
  expect(twice).toBeGreaterThan(1);
  expect(calls).toBe(requests.size);
  // Calls that were about to be sent at a kill count as lost too, because nobody knows that they were not sent.
  expect(lostCalls).toBeGreaterThanOrEqual(twice);
  expect(lostCalls).toBeLessThanOrEqual(twice + 2 * 16);
  const answered = sumTokens(ledger) - assumedTokens.input - assumedTokens.output;
  expect(answered).toBe([...requests.values()].reduce((sum, tokens) => sum + tokens, 0));
  expect(await journaledTokens(run)).toBe(answered);
  expect({ lostCalls, assumedTokens }).toEqual(await readLostCalls(run));
});

function options(standIn: StandIn): string[] {
  return ['--model', standIn.spec, '--n-personas', '4', '--n-sessions', '9', '--concurrency', '16'];
}

function tokensAt(standIn: StandIn): number {
  return standIn.received.reduce((sum, { tokens }) => sum + tokens, 0);
}

function largestCall(standIn: StandIn): number {
  return Math.max(...standIn.received.map(({ tokens }) => tokens));
}

/** Share of a budget that is spent when its pause stays. */
const USED_UP = 0.995;

/** Waits until its budget has paused a run for good. A pause is lifted again if the calls in flight needed less than expected. */
async function untilUsedUp(run: string, running: Running): Promise<void> {
  for (;;) {
    if (running.child.exitCode !== null) throw new Error(`The command ended; it said:\n${running.stderr()}`);
    const { stdout } = await runLoaded(['status', run, '--json']);
    const now = usedUpSchema.safeParse(stdout === '' ? undefined : JSON.parse(stdout)).data;
    if (now !== undefined && now.budget.spent > now.budget.cap * USED_UP) return;
    await wait(200);
  }
}

/** Status of a run that its budget has paused, and that has nothing in flight. */
const usedUpSchema = z.object({
  pause: z.object({ by: z.literal('budget') }),
  // From the ledger, like the calls in flight; the amount of the pause may include calls that have been answered since.
  budget: z.object({ spent: z.number(), cap: z.number() }),
  inFlight: z.object({ calls: z.strictObject({}) }),
});

/** Finds the calls that a run sent without an answer, by its ledger and its journal, and the sum of their estimates. */
async function readLostCalls(run: string): Promise<{ lostCalls: number; assumedTokens: CallEstimate }> {
  const store = createFolderStore(join(run, '.cupid'));
  const journal = openJournal(store);
  const lost: SentLine[] = [];
  for (const { worker, lines } of await readLedgerLines(store)) {
    const open = new Map<number, SentLine>();
    for await (const line of lines) {
      if (line.event === 'sent') open.set(line.call, line);
      else open.delete(line.call);
    }
    for (const sent of open.values()) {
      const entry = await journal.find(sent.key);
      // A call was answered even if its process died between journal entry and ledger line.
      if (entry?.ledgerCall !== `${worker}/${sent.call}`) lost.push(sent);
    }
  }
  return {
    lostCalls: lost.length,
    assumedTokens: {
      input: lost.reduce((sum, { estimate }) => sum + estimate.input, 0),
      output: lost.reduce((sum, { estimate }) => sum + estimate.output, 0),
    },
  };
}

async function journaledTokens(run: string): Promise<number> {
  const store = createFolderStore(join(run, '.cupid'));
  const journal = openJournal(store);
  let sum = 0;
  for (const workflowId of await journal.workflows()) {
    for (const { answer } of await journal.ofWorkflow(workflowId)) {
      sum += (answer.usage.input ?? 0) + (answer.usage.output ?? 0);
    }
  }
  return sum;
}
