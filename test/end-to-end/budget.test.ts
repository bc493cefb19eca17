import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ledgersOf } from '../../client/ledgers';
import { openJournal } from '../../data/journal';
import { folderStore } from '../../data/store';
import { mergeLedgers, totalsOf } from '../../rules/ledger';
import { spentOf, tokensOf } from '../../rules/prices';
import type { Ledger } from '../../schemas/ledger';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { temporaryFolder } from './command';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, startSynth, untilSaid } from './processes';

jest.setTimeout(300_000);

const folder = temporaryFolder();
afterAll(endLeftovers);

// Side by side, each with a model of its own.

test.concurrent('a budget in tokens pauses the run, is passed by no more than the calls in flight, and once raised the run goes on to its end', async () => {
  const standIn = await startStandIn({ latency: 100 });
  const run = join(folder, 'tokens');
  const cap = 120_000;
  const running = startSynth(run, ...options(standIn), '--budget', '120ktok');
  await untilSaid(running, 'The budget of 120ktok is used up');
  await wait(3_000);
  const asked = standIn.received.length;
  const spent = tokensAt(standIn);
  expect(spent).toBeGreaterThan(cap * 0.9);
  expect(spent).toBeLessThan(cap + 16 * largestCall(standIn));
  await wait(3_000);
  expect(standIn.received).toHaveLength(asked);
  expect(running.stderr()).toContain('cupid set');

  const low = await runLoaded(['set', run, '--budget', '60ktok']);
  expect(low).toMatchObject({ code: 1, stdout: '' });
  expect(low.stderr).toContain('has spent');
  standIn.latency = 0;
  const raised = await runLoaded(['set', run, '--budget', '20Mtok']);
  expect(raised).toMatchObject({ code: 0 });
  await expect(running.ended).resolves.toMatchObject({ code: 0 });
  await standIn.goDown();
  const ledger = await ledgerIn(run);
  expect(tokensOf(ledger)).toBe(tokensAt(standIn));
  expect(totalsOf(ledger)).toMatchObject({ calls: standIn.received.length, lost: 0, uncounted: 0 });
});

test.concurrent('a budget in money is kept by the prices that were given, over restarts too', async () => {
  const standIn = await startStandIn({ latency: 100 });
  const run = join(folder, 'money');
  const prices = join(folder, 'prices.json');
  const usdPerMillionTokens = { 'openai-compatible:stand-in': { input: 2, output: 10 } };
  const table = { date: '2026-01-01', source: 'a test', usdPerMillionTokens };
  await writeFile(prices, JSON.stringify(table));
  const first = startSynth(run, ...options(standIn), '--budget', '0.3usd', '--prices', prices);
  await untilJournalHas(run, 30, first);
  first.child.kill('SIGINT');
  await first.ended;
  // Neither is named again: a budget outlives the command that set it.
  const second = startSynth(run, ...options(standIn));
  await untilSaid(second, 'The budget of 0.3usd is used up');
  second.child.kill('SIGINT');
  await expect(second.ended).resolves.toMatchObject({ code: 130 });
  await standIn.goDown();
  const spent = spentOf(await ledgerIn(run), 'usd', table);
  expect(spent).toBeGreaterThan(0.27);
  expect(spent).toBeLessThan(0.3 + (16 * largestCall(standIn) * 10) / 1e6);
});

test.concurrent('a budget in money with a model without a price is refused before anything is begun', async () => {
  const run = join(folder, 'unpriced');
  const spec = 'openai-compatible:nobody-knows@http://127.0.0.1:9/v1';
  const ended = await runLoaded(['synth', '--output-dir', run, '--model', spec, '--budget', '5usd']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('openai-compatible:nobody-knows has none');
  expect(ended.stderr).toContain('--prices');
});

test.concurrent('the ledger is what the model counted; calls lost with a killed process are listed, and charged as they were expected', async () => {
  const standIn = await startStandIn({ latency: 400 });
  const run = join(folder, 'killed');
  for (const calls of [60, 160]) {
    const running = startSynth(run, ...options(standIn));
    await untilJournalHas(run, calls, running);
    await standIn.untilAsked();
    running.child.kill('SIGKILL');
    await running.ended;
  }
  standIn.latency = 0;
  await expect(startSynth(run, ...options(standIn)).ended).resolves.toMatchObject({ code: 0 });
  await standIn.goDown();
  const ledger = await ledgerIn(run);
  const { calls, lost, assumed } = totalsOf(ledger);
  // What was about to be sent when its process was killed is listed as well: nobody knows that it was not.
  const unsent = calls + lost - standIn.received.length;
  expect(unsent).toBeGreaterThanOrEqual(0);
  expect(unsent).toBeLessThanOrEqual(2 * 16);
  expect(lost).toBeGreaterThan(1);
  expect(assumed.input).toBeGreaterThan(lost);
  expect(assumed.output).toBeGreaterThan(lost);
  const heard = tokensOf(ledger) - assumed.input - assumed.output;
  expect(heard).toBeLessThan(tokensAt(standIn));
  expect(await journaledTokens(run)).toBe(heard);
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

async function ledgerIn(run: string): Promise<Ledger> {
  const store = folderStore(join(run, '.cupid'));
  return mergeLedgers(Object.values(await ledgersOf(store)));
}

async function journaledTokens(run: string): Promise<number> {
  const store = folderStore(join(run, '.cupid'));
  const journal = openJournal(store);
  let sum = 0;
  for (const name of await store.list('journal')) {
    const workflowId = decodeURIComponent(name.slice('journal/'.length));
    for (const { answer } of await journal.ofWorkflow(workflowId)) {
      sum += (answer.usage.input ?? 0) + (answer.usage.output ?? 0);
    }
  }
  return sum;
}
