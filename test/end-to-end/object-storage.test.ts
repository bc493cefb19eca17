import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { useClient } from '../../workers/server/connection';
import { buildBatchesWorkflowId } from '../../engine/journal/key';
import { needing } from '../parts/needing';
import { S3Server } from '../s3-server';
import { startStandIn } from '../stand-in/chat-server';
import { setUpCluster } from '../temporal-cluster';
import { changeCode } from './changed-code';
import { hashDataSets } from './command';
import { askEndpoint } from './metrics';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand, until, untilSaid, interrupt } from './processes';
import { hashResults } from './results';
import { setUpUndisturbedRun } from './undisturbed';

const { describe, test } = needing('storage');

const beside = setUpUndisturbedRun(2, { latency: 60 });
const server = new S3Server();
beforeAll(() => server.start());
afterAll(() => server.remove());
afterEach(endLeftovers);

const inFolder = (name: string) => join(beside.folder, name);
const commandOf = (name: string, ...options: string[]) => [...beside.commandOf(name), ...options];
const run = (args: readonly string[]) => runLoaded(args, server.environment);
const countEntries = (of = 'runs/one') => server.listObjects(`${of}/journal/`).length;

function at(name: string): string {
  return `s3://${server.bucket}/shared/${name}`;
}

test('another process cannot drive it meanwhile, and one that names another place gets an error with its place', async () => {
  const command = (name: string, place: string, latency = '') => [
    'synth',
    `--output-dir=${inFolder(name)}`,
    `--model=simulated:default${latency}`,
    '--n-personas=1',
    `--store=s3://${server.bucket}/${place}`,
  ];
  const running = startCommand(command('three', 'three', '?latency=5s'), server.environment);
  await until(() => server.listObjects('three/locks/').length > 0);
  expect(await run(command('other', 'three', '?latency=5s'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The run is in use by process \d+ on .*\. Wait for it to finish/),
  });
  expect(await run(command('three', 'four'))).toMatchObject({ stderr: expect.stringContaining('is in use') });
  // By then it handles Ctrl-C.
  await until(() => server.listObjects('three/journal/').length > 0);
  await interrupt(running);
  expect(server.listObjects('three/locks/')).toEqual([]);
  expect(await run(command('three', 'four'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `is stored at s3://${server.bucket}/three, not at s3://${server.bucket}/four`,
    ),
  });
});

test('a pull that is killed before or after any write, fsync or rename is repeated, and the run continues there and pays nothing', async () => {
  const place = `s3://${server.bucket}/pulled`;
  const options = ['--model=simulated:default', '--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  const synthesize = (name: string) => ['synth', `--output-dir=${inFolder(name)}`, ...options];
  expect(await run([...synthesize('source'), '--store', place])).toMatchObject({ code: 0 });
  const hashes = await hashDataSets(inFolder('source'));
  const log = inFolder('pull.log');
  const pull = (name: string, point: Record<string, string> = {}) =>
    startCommand(['pull', place, inFolder(name)], {
      ...server.environment,
      NODE_OPTIONS: `--require=${join(__dirname, 'crash-preload.js')}`,
      CUPID_CRASH_FOLDER: inFolder(name),
      CUPID_CRASH_LOG: log,
      ...point,
    }).ended;
  expect(await pull('pulled')).toMatchObject({ code: 0 });
  const operations = Number(readFileSync(log, 'utf8'));
  expect(operations).toBeGreaterThan(20);

  for (let kill = 0; kill < PULL_KILLS; kill += 1) {
    const name = `pulled-${kill}`;
    // The last operations decide whether the copy is complete. Files are copied side by side, which takes an fsync of a folder more or less.
    const operation = operations - 2 - Math.floor((kill * (operations - 2)) / PULL_KILLS);
    const when = kill % 2 === 0 ? 'before' : 'after';
    expect(await pull(name, { CUPID_CRASH_AT: `${operation}:${when}` })).toMatchObject({ signal: 'SIGKILL' });
    // Until it is complete, nothing continues it; it may be pulled again.
    expect(await run(['pull', place, inFolder(name)])).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('read-only'),
    });
    expect(await hashDataSets(inFolder(name))).toEqual(hashes);
    expect(await runLoaded(synthesize(name))).toMatchObject({ code: 0 });
    expect(countLedgers(name)).toBe(countLedgers('pulled'));
    rmSync(inFolder(name), { recursive: true });
  }
});

/** Points at which a pull is killed: a few in every test run, and as many as one likes with CUPID_CRASH_POINTS. */
const PULL_KILLS = Number(process.env['CUPID_CRASH_POINTS'] ?? 3);

/** Workers that sent calls. */
function countLedgers(name: string): number {
  const names = readdirSync(join(inFolder(name), '.cupid', 'ledger'));
  return names.filter((file) => file.endsWith('.jsonl')).length;
}

describe('workers of a store', () => {
  const cluster = setUpCluster(inFolder('cluster'));
  const environment = () => ({ ...server.environment, TEMPORAL_ADDRESS: cluster.address });
  const startWorker = (...options: string[]) =>
    startCommand(['worker', '--store', `s3://${server.bucket}/shared`, '--trust', ...options], environment());

  test('work for every run there, come and go, and leave on SIGTERM', async () => {
    const one = startWorker('--concurrency=3');
    const only = startWorker('--only=evaluation', '--telemetry=0');
    const driver = startCommand(commandOf('driven', '--store', at('driven')), environment());
    const other = startCommand(
      [
        'synth',
        `--output-dir=${inFolder('beside')}`,
        '--model=simulated:default?latency=50ms',
        '--n-personas=1',
        '--n-sessions=9',
        `--store=${at('beside')}`,
      ],
      environment(),
    );
    await untilSaid(one, `Working on run`);
    // It has no run to work for, and could begin at once.
    await until(async () => (await askEndpoint(only, '/readyz')).status === 200);
    await until(() => countEntries('shared/driven') > 8);
    // The command that drives it goes; the worker works on alone, until a second one comes and it leaves.
    const { stderr } = await interrupt(driver);
    expect(stderr).toContain(`To stop them, too: cupid pause ${inFolder('driven')}\n`);
    const alone = countEntries('shared/driven');
    await until(() => countEntries('shared/driven') > alone + 10);
    // A copy of a run in progress is not continued: the worker would make the same calls.
    expect(await run(['pull', at('driven'), inFolder('copy')])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is a read-only copy of that state'),
    });
    expect(await run(commandOf('copy'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`is a copy of the run at ${at('driven')}`),
    });
    expect(await run(['push', inFolder('copy'), at('copy')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a copy of the run at'),
    });
    const two = startWorker();
    await untilSaid(two, `(${at('driven')})`);
    one.child.kill('SIGTERM');
    const left = await one.ended;
    expect(left).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/Stopped\. [1-9]\d* calls of this worker are in the journal/),
    });
    await until(() => server.listObjects('shared/driven/records/').length === 2);
    const finished = await runLoaded(commandOf('driven', '--store', at('driven')), environment());
    expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    expect(await hashDataSets(inFolder('driven'))).toEqual(beside.hashes);
    expect(await other.ended).toMatchObject({ code: 0 });
    await untilSaid(two, 'has ended or changed');
    for (const worker of [two, only]) worker.child.kill('SIGTERM');
    expect((await two.ended).code).toBe(130);
    expect((await only.ended).stderr).toContain('Stopped. 0 calls');
  });

  test('evaluate there too: without its command and its results folder, an evaluation ends with the same bytes, and so does a verification', async () => {
    const data = inFolder('undisturbed');
    const model = '--model=simulated:default';
    const evaluation = (results: string, ...options: string[]) => [
      'eval',
      `--data=${data}`,
      `--results-dir=${inFolder(results)}`,
      `${model}?latency=300ms`,
      '--evaluator=simulated:default',
      ...options,
    ];
    const finished = { code: 0 };
    expect(await runLoaded(evaluation('results'))).toMatchObject(finished);
    const worker = startWorker('--only=evaluation', '--concurrency=2');
    const driver = startCommand(
      evaluation('lost', '--concurrency=2', '--store', at('evaluated')),
      environment(),
    );
    await untilSaid(worker, `(${at('evaluated')})`);
    await until(() => countEntries('shared/evaluated') > 4);
    await interrupt(driver);
    const alone = countEntries('shared/evaluated');
    await until(() => countEntries('shared/evaluated') > alone + 2);
    rmSync(inFolder('lost'), { recursive: true });
    const repeated = await runLoaded(evaluation('found', '--store', at('evaluated')), environment());
    expect(repeated).toMatchObject(finished);
    expect(await hashResults(inFolder('found'))).toEqual(await hashResults(inFolder('results')));
    worker.child.kill('SIGTERM');
    expect((await worker.ended).stderr).toMatch(/Stopped\. [1-9]\d* calls of this worker are in the journal/);

    const verification = (results: string, ...options: string[]) => [
      'verify',
      data,
      `--results-dir=${inFolder(results)}`,
      model,
      ...options,
    ];
    expect(await runLoaded(verification('verified'))).toMatchObject(finished);
    const stored = ['--store', `s3://${server.bucket}/verified`];
    expect(await run(verification('verified-there', ...stored))).toMatchObject(finished);
    expect(existsSync(join(inFolder('verified-there'), '.cupid', 'journal'))).toBe(false);
    const file = 'verification.parquet';
    expect(readFileSync(join(inFolder('verified-there'), file))).toEqual(
      readFileSync(join(inFolder('verified'), file)),
    );
  });

  test('wait for batches whose commands were killed, and pay once; then the same commands end with the bytes of single calls', async () => {
    await using provider = await startStandIn();
    const { batches } = provider;
    const keys = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-test' };
    const ask = { ...environment(), ...keys };
    const evaluation = (results: string, ...options: string[]) => [
      'eval',
      `--data=${inFolder('undisturbed')}`,
      `--results-dir=${inFolder(results)}`,
      '--model=openai:tested',
      '--evaluator=openai:tested',
      '--no-check',
      ...options,
    ];
    const synthesis = [
      'synth',
      `--output-dir=${inFolder('planned')}`,
      '--model=openai:planner',
      ...['--user-model', '--assistant-model'].map((role) => `${role}=${provider.specOf('dialogues')}`),
      '--n-personas=1',
      '--n-sessions=9',
      '--max-turns=2',
      '--no-check',
      '--batch',
      '--store',
      at('planned'),
    ];
    expect(await runLoaded(evaluation('singly'), keys)).toMatchObject({ code: 0 });
    const before = provider.received.length;

    batches.isSlow = true;
    const batched = evaluation('batched', '--batch', '--store', at('batched'));
    const drivers = [batched, synthesis].map((command) => startCommand(command, ask));
    await until(() => batches.received.length === 2 && batches.received.every(({ polls }) => polls > 0));
    for (const driver of drivers) driver.child.kill('SIGKILL');
    for (const driver of drivers) await driver.ended;
    const startOnly = (only: string) =>
      startCommand(['worker', '--store', `s3://${server.bucket}/shared`, '--trust', `--only=${only}`], ask);
    const workers = [startOnly('evaluation'), startOnly('synthesis')] as const;
    await untilSaid(workers[0], `(${at('batched')})`);
    await untilSaid(workers[1], `(${at('planned')})`);
    const keyless = startCommand(['worker', '--store', at('batched')], environment());
    await untilSaid(keyless, `"level":"WARN","message":"Not working for the run at ${at('batched')}: `);
    keyless.child.kill('SIGTERM');
    expect((await keyless.ended).code).toBe(130);
    batches.isSlow = false;
    // Workers have the rounds done that follow; what comes after them begins with the same command.
    const service = { connection: { address: cluster.address }, namespace: 'default' };
    for (const name of ['batched', 'planned']) {
      const file = readFileSync(join(inFolder(name), 'run.json'), 'utf8');
      const { id } = z.object({ id: z.string() }).parse(JSON.parse(file));
      await useClient(service, (client) => client.workflow.getHandle(buildBatchesWorkflowId(id)).result());
      await until(async () =>
        (await runLoaded(['status', inFolder(name)], environment())).stdout.includes(
          'Nothing is lost. Repeat',
        ),
      );
    }
    const requests = batches.received.flatMap((batch) =>
      batch.requests.map(({ body }) => JSON.stringify(body)),
    );
    expect(new Set(requests).size).toBe(requests.length);
    expect(provider.received).toHaveLength(before);

    for (const command of [batched, synthesis]) {
      expect(await runLoaded(command, ask)).toMatchObject({ code: 0 });
    }
    expect(await hashResults(inFolder('batched'))).toEqual(await hashResults(inFolder('singly')));
    expect(batches.received.flatMap((batch) => batch.requests)).toHaveLength(requests.length);
    for (const worker of workers) worker.child.kill('SIGTERM');
    for (const worker of workers) expect((await worker.ended).code).toBe(130);
  });

  test('a worker of a new version joins mid-run: the run moves to it, while the old one ends what it began', async () => {
    const from = beside.standIn.received.length;
    const { latency } = beside.standIn;
    const old = startWorker();
    const driver = startCommand(commandOf('deployed', '--store', at('deployed')), environment());
    await untilSaid(old, `(${at('deployed')})`);
    await until(() => countEntries('shared/deployed') > 8);
    // So slow that the old one has much left when the new one joins, also on a busy machine.
    beside.standIn.latency = 5_000;
    await interrupt(driver);

    const changed = startCommand(
      ['worker', '--store', `s3://${server.bucket}/shared`, '--trust'],
      environment(),
      changeCode(inFolder('program')),
    );
    await untilSaid(changed, 'is now the current one');
    await untilSaid(changed, `(${at('deployed')})`);
    const status = async () => (await runLoaded(['status', inFolder('deployed')], environment())).stdout;
    await until(async () => /^versions +\S+ \(1 worker\), \S+ \(1 worker\)$/m.test(await status()));
    beside.standIn.latency = latency;
    await until(() => server.listObjects('shared/deployed/records/').length === 2);

    const finished = await runLoaded(commandOf('deployed', '--store', at('deployed')), environment());
    expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    expect(await hashDataSets(inFolder('deployed'))).toEqual(beside.hashes);
    // No call was made twice.
    expect(beside.standIn.received.length - from).toBe(beside.calls);
    for (const worker of [old, changed]) worker.child.kill('SIGTERM');
    expect((await changed.ended).code).toBe(130);
    expect((await old.ended).stderr).toMatch(/Stopped\. [1-9]\d* calls of this worker are in the journal/);
  });
});
