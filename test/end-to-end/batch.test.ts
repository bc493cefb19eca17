import { join } from 'node:path';
import * as z from 'zod';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets, type Ended, type Running } from './command';
import { countJournalEntries, untilJournalHas } from './journal';
import { runLoaded, runLoadedChecked } from './loaded-command';
import { scrapeLast, sumMetric } from './metrics';
import { endLeftovers, startEval, until, interrupt, kill } from './processes';
import { hashResults, writeInstances } from './results';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');

let standIn: StandIn;
let hashes: Record<string, string>;
let calls: number;

beforeAll(async () => {
  await writeInstances(DATA, 3);
  // Some answers are unusable, so that some calls are left to be sent by themselves.
  standIn = await startStandIn({ simulated: { malformed: '0.05', empty: '0.02', refused: '0.02' } });
  expectFinished(
    await runLoaded(
      commandIn('one-by-one').filter((option) => option !== '--batch'),
      environment(),
    ),
  );
  hashes = await hashResults(inFolder('one-by-one'));
  calls = await countJournalEntries(inFolder('one-by-one'));
});
beforeEach(() => {
  standIn.batches.swallowsAnswers = false;
  standIn.batches.failsAfterwards = false;
  standIn.batches.emptyLists = 0;
  standIn.batches.isSlow = false;
  standIn.batches.linesSent = undefined;
  standIn.batches.faults = undefined;
  standIn.batches.refusal = undefined;
  standIn.fault = undefined;
});
afterEach(endLeftovers);
afterAll(() => standIn.goDown());

test('a batch evaluation that is killed while it submits, waits and fetches pays once, and ends with the bytes of single calls', async () => {
  const { batches } = standIn;
  const [before, single] = [batches.received.length, standIn.received.length];
  batches.swallowsAnswers = true;
  let running = start('killed');
  await until(() => batches.received.length > before);
  await kill(running);

  batches.swallowsAnswers = false;
  batches.isSlow = true;
  running = start('killed');
  await until(() => (batches.received[before]?.polls ?? 0) > 1);
  await kill(running);
  expect(batches.received).toHaveLength(before + 1);

  batches.isSlow = false;
  batches.linesSent = 4;
  running = start('killed');
  await untilJournalHas(inFolder('killed'), 4, running);
  await kill(running);

  batches.linesSent = undefined;
  expectFinished(await runLoaded(commandIn('killed'), environment()));
  expect(await hashResults(inFolder('killed'))).toEqual(hashes);
  const requests = batches.received.slice(before).flatMap((batch) => batch.requests);
  expect(requests.length).toBeGreaterThan(calls / 2);
  expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(requests.length);
  expect(requests.length + standIn.received.length - single).toBe(calls);
  expect(await countJournalEntries(inFolder('killed'))).toBe(calls);

  const { ledger, batches: open } = await readStatus('killed');
  expect(open).toEqual([]);
  expect(sum(ledger.filter(({ tier }) => tier === 'batch'))).toBe(requests.length);
  expect(sum(ledger)).toBe(calls);
});

test('a batch in progress is fetched after the data have grown, and only rows that were added go into further ones', async () => {
  const { batches } = standIn;
  const [before, single] = [batches.received.length, standIn.received.length];
  const less = inFolder('less.parquet');
  await writeInstances(less, 2);
  batches.isSlow = true;
  const running = startEval(inFolder('grown'), options('--batch', less), environment());
  await until(() => (batches.received[before]?.polls ?? 0) > 1);
  await kill(running);
  batches.isSlow = false;
  const grown = await runLoaded(commandIn('grown'), environment());
  expectFinished(grown);
  expect(grown.stderr).toContain('The data grew: 3 instances of 1 persona were added');
  // The numbers are beside the history of the data.
  expect({ ...(await hashResults(inFolder('grown'))), 'results.json': hashes['results.json'] }).toEqual(
    hashes,
  );
  const requests = batches.received.slice(before).flatMap((batch) => batch.requests);
  expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(requests.length);
  expect(requests.length + standIn.received.length - single).toBe(calls);
});

test('a batch that is made although the server answers 500, and is listed late, is sent once, also by a command that is killed meanwhile', async () => {
  const { batches } = standIn;
  const before = batches.received.length;
  batches.failsAfterwards = true;
  batches.emptyLists = 1_000;
  const running = start('unclear');
  await until(() => batches.emptyLists < 1_000);
  await kill(running);
  expect(batches.received).toHaveLength(before + 1);
  batches.emptyLists = 2;
  const again = await runLoaded(commandIn('unclear'), environment());
  expectFinished(again);
  expect(again.stderr).toContain('gave no clear answer when batch');
  expect(await hashResults(inFolder('unclear'))).toEqual(hashes);
  const requests = batches.received.slice(before).flatMap((batch) => batch.requests);
  expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(requests.length);
});

test('a batch that may have arrived is looked for before it counts as cancelled', async () => {
  const { batches } = standIn;
  const before = batches.received.length;
  batches.isSlow = true;
  batches.failsAfterwards = true;
  batches.emptyLists = 1_000;
  const running = start('unclear-cancel');
  await until(() => batches.emptyLists < 1_000);
  await kill(running);
  batches.emptyLists = 2;
  const cancelled = await runLoaded(['cancel', inFolder('unclear-cancel')], environment());
  expect(cancelled.stdout).toContain('Cancelled 1 batch at the provider.');
  expect(cancelled.stderr).toContain('may have arrived at the provider');
  expect(batches.received.slice(before).map(({ status }) => status)).toEqual(['cancelled']);
});

test('what a batch leaves without an answer is sent by itself', async () => {
  const { batches } = standIn;
  const [before, single] = [batches.received.length, standIn.received.length];
  const busy = {
    status_code: 503,
    body: { error: { message: 'The server is busy.', type: 'server_error' } },
  };
  batches.faults = (batch) =>
    [
      { status: 'expired', unanswered: 3 } as const,
      { status: 'completed', unanswered: 2, response: busy } as const,
      { status: 'failed' } as const,
    ][batch - before];
  const running = start('partial', '--batch', '--telemetry=0');
  const metrics = await scrapeLast(running);
  expectFinished(await running.ended);
  expect(await hashResults(inFolder('partial'))).toEqual(hashes);
  const all = batches.received.slice(before);
  const unanswered = 3 + 2 + (all[2]?.requests.length ?? 0);
  const requests = all.reduce((count, batch) => count + batch.requests.length, 0);
  expect(requests - unanswered + standIn.received.length - single).toBe(calls);
  // Metrics count them as the ledger does.
  const count = (labels: Record<string, string>) => sumMetric(metrics, 'cupid_calls_total', labels);
  expect(count({ tier: 'batch', error: '' })).toBe(requests - unanswered);
  expect(count({ outcome: 'failed' })).toBe(unanswered);
  expect(count({ error: '' })).toBe(calls);
});

test('a batch is waited for until its time is over, and is not read with another key', async () => {
  const { batches } = standIn;
  const before = batches.received.length;
  batches.isSlow = true;
  const running = start('late');
  await until(() => (batches.received[before]?.polls ?? 0) > 0);
  await interrupt(running);

  const stopped = await runLoaded(['status', inFolder('late')]);
  expect(stopped.stdout).toMatch(
    /^batches +cupid-eval-\S+: 9 requests of infer to openai:tested, .*sent 20/m,
  );

  const other = await runLoaded(commandIn('late'), { ...environment(), OPENAI_API_KEY: 'sk-other' });
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('It was sent with another key or to another address');
  const without = await runLoaded(
    commandIn('late').filter((option) => option !== '--batch'),
    environment(),
  );
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('Add --batch to continue with it, or cancel it first');

  const cancelled = await runLoaded(['cancel', inFolder('late')], environment());
  expect(cancelled.stdout).toContain('Cancelled 1 batch at the provider.');
  expect(batches.received[before]?.status).toBe('cancelled');
  // The user wants them in batches still.
  const live = start('late');
  await until(() => (batches.received[before + 1]?.polls ?? 0) > 0);
  const ended = await runLoaded(['cancel', inFolder('late')], environment());
  expect(ended.stdout).toMatch(/Cancelled run cupid-eval-\w+ and 1 batch at the provider\./);
  expect(await live.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was cancelled') });

  const again = start('late', '--batch=0.8s');
  await until(() => batches.received.length > before + 2);
  await until(() => batches.received[before + 2]?.status === 'cancelled');
  batches.isSlow = false;
  expectFinished(await again.ended);
  expect(await hashResults(inFolder('late'))).toEqual(hashes);
});

test('personas are planned in batches, and their data are the same', async () => {
  const { batches } = standIn;
  const single = standIn.specOf('dialogues');
  const command = (name: string, ...batch: string[]) => [
    'synth',
    `--output-dir=${inFolder(name)}`,
    '--n-personas=2',
    '--max-turns=2',
    '--model=openai:planner',
    `--user-model=${single}`,
    `--assistant-model=${single}`,
    ...batch,
  ];
  await runLoaded(command('planned-singly'), environment());
  const before = batches.received.length;
  const { stderr } = await runLoaded(command('planned', '--batch'), environment());
  expect(stderr).toMatch(/4 batches answered \d+ calls\./);
  expect(batches.received.slice(before).map(({ requests }) => requests.length)).toEqual([
    1,
    expect.any(Number),
    expect.any(Number),
    expect.any(Number),
  ]);
  expect(await hashDataSets(inFolder('planned'))).toEqual(await hashDataSets(inFolder('planned-singly')));
});

test('a batch that the budget or the credit of the account does not allow is not sent, and the command says what to do', async () => {
  const { batches } = standIn;
  let before = batches.received.length;
  const ended = await runLoaded([...commandIn('poor'), '--budget=1ktok'], environment());
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(
    /The next batch \(9 requests of step infer to openai:tested\) may cost 3\d\.\d ktok/,
  );
  expect(batches.received).toHaveLength(before);

  // Requests that a rejected key could not send are sent with another one.
  batches.refusal = { status: 401, error: { message: 'Incorrect API key.', code: 'invalid_api_key' } };
  const rejected = await runLoaded(commandIn('rejected'), { ...environment(), OPENAI_API_KEY: 'sk-old' });
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('OPENAI_API_KEY') });
  batches.refusal = undefined;
  expectFinished(await runLoaded(commandIn('rejected'), environment()));
  expect(await hashResults(inFolder('rejected'))).toEqual(hashes);

  before = batches.received.length;
  const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' };
  batches.refusal = { status: 429, error };
  const unpaid = await runLoaded(commandIn('unpaid'), environment());
  expect(unpaid).toMatchObject({ code: 1, stderr: expect.stringContaining('This is a billing problem') });
  const full = { message: 'Too many batches.', code: 'rate_limit_exceeded' };
  batches.refusal = { status: 429, error: full };
  expectFinished(await runLoaded([...commandIn('unpaid'), '--batch=0.2s'], environment()));
  expect(batches.received).toHaveLength(before);
  expect(await hashResults(inFolder('unpaid'))).toEqual(hashes);
});

test('a batch that failed for want of credit stops the command, and its calls wait for the next batch', async () => {
  const { batches } = standIn;
  const [before, single] = [batches.received.length, standIn.received.length];
  batches.faults = () => ({ status: 'failed', code: 'billing_hard_limit_reached' });
  const unpaid = await runLoaded(commandIn('limit'), environment());
  expect(unpaid).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/billing_hard_limit_reached.*This is a billing problem: add credit/),
  });
  expect(standIn.received).toHaveLength(single);
  batches.faults = undefined;
  expectFinished(await runLoaded(commandIn('limit'), environment()));
  expect(batches.received[before + 1]?.requests.length).toBe(batches.received[before]?.requests.length);
  expect(await hashResults(inFolder('limit'))).toEqual(hashes);
});

test('a parameter that a line of a batch rejects is left out of the next batch, and of each single call', async () => {
  const { batches } = standIn;
  const before = batches.received.length;
  const message = "Unsupported value: 'temperature' does not support 0 with this model.";
  const response = { status_code: 400, body: { error: { message, param: 'temperature' } } };
  batches.faults = (batch) =>
    batch === before ? { status: 'completed', unanswered: 9, response } : undefined;
  const sent: unknown[] = [];
  standIn.fault = (_, body) => void sent.push(body);
  const ended = await runLoaded([...commandIn('rejecting'), '--task=inference'], environment());
  standIn.fault = undefined;
  expectFinished(ended);
  expect(ended.stderr).toContain('openai:tested rejected a parameter');
  const [first, second] = batches.received.slice(before);
  expect(first?.requests.map(({ body }) => body['temperature'])).toEqual(Array(9).fill(0));
  expect(second?.requests.map(({ body }) => body['temperature'])).toEqual(Array(9).fill(undefined));
  const tested = sent.filter((body) => z.object({ model: z.literal('tested') }).safeParse(body).success);
  expect(tested.filter((body) => JSON.stringify(body).includes('"temperature"'))).toEqual([]);
});

test('a model of the Responses API is asked there, in batches too', async () => {
  const { batches } = standIn;
  const before = batches.received.length;
  const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
  const chat = z.object({ model: z.literal('tested'), messages: z.array(z.unknown()) });
  standIn.fault = (_, body) =>
    chat.safeParse(body).success ? { status: 404, error: { message, param: 'model' } } : undefined;
  const ended = await runLoadedChecked(commandIn('responses'), environment());
  standIn.fault = undefined;
  expectFinished(ended);
  expect(
    ended.stderr.match(/openai:tested is not in chat completions, so calls use the Responses API/g),
  ).toHaveLength(1);
  const endpoints = batches.received
    .slice(before)
    .map(({ endpoint, requests }) => `${String(requests[0]?.body['model'])} ${endpoint}`);
  expect(new Set(endpoints)).toEqual(new Set(['tested /v1/responses', 'evaluator /v1/chat/completions']));
});

function commandIn(results: string): string[] {
  return ['eval', `--results-dir=${inFolder(results)}`, ...options('--batch')];
}

function start(results: string, batch = '--batch', ...more: readonly string[]): Running {
  return startEval(inFolder(results), [...options(batch), ...more], environment());
}

function options(batch: string, data = DATA): string[] {
  return [`--data=${data}`, '--task=both', '--model=openai:tested', '--evaluator=openai:evaluator', batch];
}

function environment(): Record<string, string> {
  return { OPENAI_BASE_URL: standIn.url, OPENAI_API_KEY: 'sk-test' };
}

/** Allows exit code 3, since some answers are unusable and their scores missing. */
function expectFinished(ended: Ended): void {
  expect([0, 3]).toContain(ended.code);
  expect(ended.stdout).toContain('results.parquet');
}

const statusSchema = z.object({
  batches: z.array(z.unknown()),
  ledger: z.array(z.object({ tier: z.string().optional(), calls: z.number() })),
});

async function readStatus(results: string): Promise<z.infer<typeof statusSchema>> {
  const { stdout } = await runLoaded(['status', inFolder(results), '--json']);
  return statusSchema.parse(JSON.parse(stdout));
}

function sum(rows: readonly { readonly calls: number }[]): number {
  return rows.reduce((all, { calls: own }) => all + own, 0);
}
