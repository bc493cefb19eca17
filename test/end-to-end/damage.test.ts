import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealJson } from '../../data/store/stored-json';
import { createRandom } from '../../rules/sampling/random';
import { startStandIn } from '../stand-in/chat-server';
import { hashDataSets } from './command';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { kill, killProcess, untilGone, untilServerOf } from './processes';
import { setUpUndisturbedRun } from './undisturbed';

const beside = setUpUndisturbedRun(1, {});
const finished = () => join(beside.folder, 'undisturbed');

test('a run whose engine database was damaged, after a kill or beneath it, ends with the same bytes', async () => {
  await using standIn = await startStandIn({ latency: 200 });
  const run = join(beside.folder, 'engine');
  const killed = beside.start('engine', standIn);
  await untilJournalHas(run, beside.calls / 4, killed);
  const orphan = await untilServerOf(run, killed);
  await kill(killed);
  await untilGone(orphan);
  flipBits(join(run, '.cupid', 'engine', 'temporal.db'), 600);
  const continued = beside.start('engine', standIn);
  await untilJournalHas(run, beside.calls / 2, continued);
  const server = await untilServerOf(run, continued);
  // SQLite reads its header again when the server starts again.
  writeFileSync(join(run, '.cupid', 'engine', 'temporal.db'), 'no database', { flag: 'r+' });
  for (const log of ['temporal.db-wal', 'temporal.db-shm'])
    rmSync(join(run, '.cupid', 'engine', log), { force: true });
  killProcess(server);
  standIn.latency = 0;
  expect(await continued.ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no failures'),
    stderr: expect.stringContaining(
      'The database of the embedded Temporal server was damaged. Continuing from the journal with a new one.',
    ),
  });
  expect(await hashDataSets(run)).toEqual(beside.hashes);
});

test('a stored data set with a changed bit is built again, and never becomes an output', async () => {
  const run = copyRun('stored');
  const file = 'CUPID-Unverified/test.parquet';
  flipBits(join(run, '.cupid', 'datasets', file), 1);
  rmSync(join(run, file));
  const from = beside.standIn.received.length;
  const repeated = await beside.finish('stored');
  expect(repeated).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `${join(run, '.cupid/datasets', file)} is damaged: its content does not match its SHA-256. Building the data sets again from the records.`,
    ),
  });
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(beside.standIn.received).toHaveLength(from);
});

test('a record with a changed letter is named with what builds it again', async () => {
  const run = copyRun('record');
  const record = join(run, '.cupid', 'records', '0000001.json');
  writeFileSync(record, readFileSync(record, 'utf8').replace('"content":"', '"content":"x'));
  rmSync(join(run, '.cupid', 'datasets'), { recursive: true });
  expect(await beside.finish('record')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /records\/0000001\.json in the run's folder is damaged \(.*its content does not match its SHA-256\.\)\. Delete it and repeat/,
    ),
  });
  rmSync(record);
  expect(await beside.finish('record')).toMatchObject({ code: 0 });
  expect(await hashDataSets(run)).toEqual(beside.hashes);
});

test('an output with a changed bit is neither exported, evaluated, validated, published nor shown, and is named with what writes it again', async () => {
  const run = copyRun('output');
  const output = join(run, 'CUPID-Unverified', 'test.parquet');
  flipBits(output, 1);
  const remedy = `is not what the run wrote there: its SHA-256 differs from the one in ${join(run, '.cupid')}. If it is damaged, delete it and repeat the cupid synth command of ${run}.`;
  for (const command of [
    ['export', run, '--output-dir', join(beside.folder, 'exported')],
    [
      'eval',
      '--data',
      run,
      '--results-dir',
      join(beside.folder, 'results'),
      '--model',
      'simulated:default',
      '--task',
      'choice',
    ],
    ['validate', run],
    ['publish', run, '--repo', 'kim/cupid', '--dry-run'],
    ['report', run, '--out', join(beside.folder, 'report.html')],
  ]) {
    const { code, stdout, stderr } = await runLoaded(command);
    expect([command[0], code === 0]).toEqual([command[0], false]);
    expect(stdout + stderr).toContain(remedy);
  }
  expect(existsSync(join(beside.folder, 'exported', 'test.parquet'))).toBe(false);
  rmSync(output);
  expect(await beside.finish('output')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Written again'),
  });
  expect(await runLoaded(['validate', run])).toMatchObject({ code: 0 });
});

test('results of an evaluation with a changed digit are named with the command that writes them again', async () => {
  const results = join(beside.folder, 'evaluated');
  const evaluation = [
    'eval',
    '--data',
    finished(),
    '--results-dir',
    results,
    '--model',
    'simulated:default',
    '--task',
    'choice',
  ];
  expect(await runLoaded(evaluation)).toMatchObject({ code: 0 });
  const summary = join(results, 'results.json');
  const before = readFileSync(summary, 'utf8');
  writeFileSync(summary, before.replace(/"accuracy": (\d)/, '"accuracy": 7'));
  const rescore = ['eval', '--results-dir', results, '--rescore'];
  for (const command of [
    ['export', results, '--format', 'eval-results', '--output-dir', join(beside.folder, 'scores')],
    ['report', results, '--out', join(beside.folder, 'report.html')],
  ]) {
    expect((await runLoaded(command)).stderr).toContain(
      `${summary} is not what the run wrote there: its SHA-256 differs from the one in ${join(results, '.cupid')}. If it is damaged, delete it and run: cupid ${rescore.join(' ')}.`,
    );
  }
  rmSync(summary);
  expect(await runLoaded(rescore)).toMatchObject({ code: 0 });
  expect(readFileSync(summary, 'utf8')).toBe(before);
});

test('truncated results without their answers are named, with the command for the folder of the evaluation', async () => {
  const results = join(beside.folder, 'truncated');
  cpSync(join(beside.folder, 'evaluated'), results, { recursive: true });
  const summary = join(results, 'results.json');
  writeFileSync(summary, readFileSync(summary, 'utf8').slice(0, 200));
  // As in a folder that was copied without its run.
  rmSync(join(results, '.cupid'), { recursive: true });
  const exported = await runLoaded([
    'export',
    results,
    '--format',
    'eval-results',
    '--output-dir',
    join(beside.folder, 'none'),
  ]);
  expect(exported.stderr).toContain(`${results} lacks .cupid`);
  expect(exported.stderr).toContain('cupid eval --results-dir DIR --rescore');
});

test('settings with a changed letter stop the command, by name', async () => {
  const run = copyRun('settings');
  const file = join(run, '.cupid', 'inputs', 'prompts.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('the', 'thr'));
  expect(await beside.finish('settings')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /\.cupid\/inputs\/prompts\.json is damaged:\n.*its content does not match its SHA-256/,
    ),
  });
  const { sha256: _, ...pack } = JSON.parse(text);
  writeFileSync(file, sealJson(pack));
  expect(await beside.finish('settings')).toMatchObject({ code: 0 });
});

function copyRun(name: string): string {
  const run = join(beside.folder, name);
  cpSync(finished(), run, { recursive: true });
  return run;
}

/** Changes bits of a file at places that depend on their number alone. */
function flipBits(file: string, bits: number): void {
  const random = createRandom('bits', bits);
  const bytes = readFileSync(file);
  for (let bit = 0; bit < bits; bit += 1) {
    const at = random.integer(statSync(file).size);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(8));
  }
  writeFileSync(file, bytes);
}
