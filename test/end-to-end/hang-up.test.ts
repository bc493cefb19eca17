import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findLockHolder } from '../../data/store/lock';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment, COMMAND } from './command';
import { countJournalEntries, listRepeated, readJournalSnapshot } from './journal';
import { runLoaded } from './loaded-command';
import { startSynth, until } from './processes';

const folder = createTemporaryFolder();

/** Starts a run of one persona by another program, and returns it once the journal has ten entries. */
async function startBy(program: string, args: readonly string[], runFolder: string) {
  const child = spawn(program, [...args, process.execPath, COMMAND, ...buildArguments(runFolder)], {
    env: buildBareEnvironment(),
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  while ((await countJournalEntries(runFolder)) < 10) await wait(50);
  return { child, ended };
}

function buildArguments(runFolder: string): string[] {
  const model = ['--model', 'simulated:default?latency=30ms', '--n-personas', '1'];
  return ['synth', '--output-dir', runFolder, '--no-check', ...model];
}

test('under nohup a closed terminal does not end a run', async () => {
  const { child, ended } = await startBy('nohup', [], join(folder, 'nohup'));
  child.kill('SIGHUP');
  expect(await ended).toBe(0);
});

test('a Ctrl-C that arrives twice, as npm passes it on, waits for the calls in flight', async () => {
  const runFolder = join(folder, 'twice');
  const running = startSynth(runFolder, '--model', 'simulated:default?latency=500ms', '--n-personas', '1');
  await until(async () => (await countJournalEntries(runFolder)) > 2);
  running.child.kill('SIGINT');
  await wait(100);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect({ code, isAtOnce: stderr.includes('Stopped at once') }).toEqual({ code: 130, isAtOnce: false });
});

test('results that cannot be written are an error', async () => {
  const [shell, script] = ['sh', `"${process.execPath}" "${COMMAND}" models --json > /dev/full`];
  const child = spawn(shell, ['-c', script], { env: buildBareEnvironment(), stdio: 'ignore' });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
});

test('a terminal that is closed stops its run, which keeps the answers in flight', async () => {
  const runFolder = join(folder, 'terminal');
  const terminal = ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])'];
  const { child } = await startBy('python3', terminal, runFolder);
  child.kill('SIGKILL');
  while ((await findLockHolder(join(runFolder, '.cupid', 'lock'), runFolder)) !== undefined) await wait(100);
  const stopped = await readJournalSnapshot(runFolder);
  expect(await runLoaded(buildArguments(runFolder))).toMatchObject({ code: 0 });
  const finished = await readJournalSnapshot(runFolder);
  expect(stopped.size).toBeLessThan(finished.size);
  expect(listRepeated(stopped, finished)).toEqual([]);
});
