import { execFile } from 'node:child_process';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { errorCode } from './error-code';

const holderSchema = z.object({
  host: z.string(),
  pid: z.number().int(),
  /** When the process began, as the system tells it: a number that is used again is another process. */
  started: z.string(),
});
export type LockHolder = z.infer<typeof holderSchema>;

/** Thrown when another living process holds the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  constructor(
    readonly file: string,
    readonly holder: LockHolder,
  ) {
    super(`held by process ${holder.pid} on ${holder.host} (${file})`);
  }
}

/**
 * Takes the lock in this file for this process, or throws LockedError. A lock whose process is gone is taken over,
 * so that a run can go on at once after a crash; one of another machine never is.
 * Returns the function that gives it back.
 */
export async function takeLock(file: string): Promise<() => Promise<void>> {
  await mkdir(dirname(file), { recursive: true });
  const mine: LockHolder = { host: hostname(), pid: process.pid, started: await startOf(process.pid) };
  const written = `${file}.${process.pid}`;
  await writeFile(written, JSON.stringify(mine));
  try {
    for (;;) {
      try {
        // A link appears whole or not at all, so nobody can read a lock that is still being written.
        await link(written, file);
        return () => rm(file, { force: true });
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      const holder = await lockHolder(file);
      if (holder !== undefined) throw new LockedError(file, holder);
      await setAside(file, `${written}.stale`);
    }
  } finally {
    await rm(written, { force: true });
  }
}

// Two commands may find the same dead lock at once: whoever moves a living one aside by mistake puts it back.
async function setAside(file: string, aside: string): Promise<void> {
  try {
    await rename(file, aside);
    if ((await lockHolder(aside)) !== undefined) await link(aside, file);
  } catch {
    // Moved by the other command; the next round sees who holds the lock now.
  } finally {
    await rm(aside, { force: true });
  }
}

/** The living process that holds the lock in this file; undefined when there is none. */
export async function lockHolder(file: string): Promise<LockHolder | undefined> {
  let holder: LockHolder;
  try {
    holder = holderSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Missing, or cut short by the crash of whoever was writing it.
    return undefined;
  }
  if (holder.host !== hostname()) return holder;
  return (await startOf(holder.pid)) === holder.started ? holder : undefined;
}

/** When a process began, in whatever form the system tells it; empty when there is no such process. */
export async function startOf(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold blanks; behind it stand the state and, as the 20th field, the start time.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return isDead(fields[0]) ? '' : (fields[19] ?? '');
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const [state, ...started] = stdout.trim().split(/\s+/);
    return isDead(state) ? '' : started.join(' ');
  } catch {
    return '';
  }
}

// A dead process keeps its number until its parent takes notice, which the first process of a container may never do.
function isDead(state: string | undefined): boolean {
  return state?.startsWith('Z') === true || state?.startsWith('X') === true;
}
