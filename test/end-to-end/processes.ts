import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { getErrorCode } from '../../data/store/system-error';
import { findLockHolder } from '../../data/store/lock';
import { readProcessStart } from '../../data/store/process-start';
import { startCupid, type Ended, type Running } from './command';

/** Starts `cupid synth` into this folder; `endLeftovers` ends it when a test does not. */
export function startSynth(runFolder: string, ...options: readonly string[]): Running {
  return leftToEnd(startCupid(['synth', '--output-dir', runFolder, ...options]));
}

/** Starts `cupid eval` into this folder; `endLeftovers` ends it when a test does not. */
export function startEval(
  resultsFolder: string,
  options: readonly string[],
  environment: Record<string, string> = {},
): Running {
  return leftToEnd(startCupid(['eval', '--results-dir', resultsFolder, ...options], environment));
}

/**
 * Starts another command of `cupid`; `endLeftovers` ends it when a test does not.
 * @param command another build of the command
 */
export function startCommand(
  args: readonly string[],
  environment: Record<string, string> = {},
  command?: string,
): Running {
  return leftToEnd(startCupid(args, environment, command));
}

function leftToEnd(running: Running): Running {
  leftovers.add(running);
  void running.ended.then(() => leftovers.delete(running));
  return running;
}

const leftovers = new Set<Running>();

/** Ends the commands that a failed test left, asleep or awake; their servers end with them. */
export async function endLeftovers(): Promise<void> {
  for (const { child, ended } of leftovers) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }
}

/** Kills a command with SIGKILL, and waits until it has gone. */
export async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
}

/** Presses Ctrl-C. Returns how the command ended, which must be with exit code 130. */
export async function interrupt({ child, ended }: Running): Promise<Ended> {
  child.kill('SIGINT');
  const interrupted = await ended;
  expect(interrupted).toMatchObject({ code: 130 });
  return interrupted;
}

/** A process, distinguished from a later one with the same number. */
export interface Process {
  readonly pid: number;
  readonly started: string;
}

/** Finds the living embedded server of a run's folder. Returns undefined when there is none. */
export async function findServer(runFolder: string): Promise<Process | undefined> {
  try {
    const text = await readFile(join(runFolder, '.cupid', 'engine', 'server.json'), 'utf8');
    const server = processSchema.parse(JSON.parse(text));
    return (await isAlive(server)) ? server : undefined;
  } catch {
    // Missing, or just being written.
    return undefined;
  }
}

const processSchema = z.object({ pid: z.number().int(), started: z.string() });

export async function isAlive({ pid, started }: Process): Promise<boolean> {
  return (await readProcessStart(pid)) === started;
}

/** Waits for the run's server. @throws Error when the command ends instead */
export async function untilServerOf(runFolder: string, running: Running): Promise<Process> {
  let server: Process | undefined;
  await untilRunning(running, 'its server started', async () => {
    server = await findServer(runFolder);
    return server !== undefined;
  });
  if (server === undefined) throw new Error('The server has gone.');
  return server;
}

/** Kills a process, which may just have ended by itself. */
export function killProcess({ pid }: Process): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') throw error;
  }
}

export async function untilGone(process: Process): Promise<void> {
  while (await isAlive(process)) await wait(50);
}

/** Resolves when the command has said this on standard error. @throws Error when it ends without */
export async function untilSaid(running: Running, text: string): Promise<void> {
  await untilRunning(running, `it said "${text}"`, () => running.stderr().includes(text));
}

/** Resolves when this holds. @throws Error with what the command said when it ends before */
export async function untilRunning(
  running: Running,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  let isOver = false;
  void running.ended.then(() => (isOver = true));
  for (;;) {
    const wasOver = isOver;
    if (await holds()) return;
    if (wasOver) {
      const { code, signal, stderr } = await running.ended;
      throw new Error(`The command ended (${code ?? signal}) before ${what}; it said:\n${stderr}`);
    }
    await wait(50);
  }
}

/** Resolves when this holds, however long that takes: how long a test may take is its own matter. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(50);
}

/** Returns true while a command holds the folder. */
export async function isLocked(runFolder: string): Promise<boolean> {
  return (await findLockHolder(join(runFolder, '.cupid', 'lock'), runFolder)) !== undefined;
}
