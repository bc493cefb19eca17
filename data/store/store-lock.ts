import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson } from '../../schemas/text/issues';
import type { Store } from './store';

/**
 * Makes this process the only driver of a run on object storage, until the result is disposed of. The lock is an object that its holder
 * rewrites every ten seconds. A lock that was not rewritten for half a minute is taken over by creating the object with the next number:
 * the creator of the highest number holds the lock. A number is used again after its holder ended, so each holder also writes an id.
 * @param folder this process's run folder, which it has locked, so an earlier process of the same folder is dead
 * @param report receives a line while waiting for a lock that may be a dead process's
 * @param onLost called when another process took over the lock, because this one did not rewrite it for too long
 * @throws Error when another process drives the run
 */
export async function takeStoreLock(
  store: Store,
  folder: string,
  report: (line: string) => void,
  onLost: () => void,
): Promise<AsyncDisposable> {
  const { dev, ino } = await stat(folder);
  // A path and a host name alone can be the same in two containers.
  const place = `${dev}:${ino}:${folder}`;
  const ownHolder: Holder = {
    host: hostname(),
    folder: place,
    pid: process.pid,
    since: new Date().toISOString(),
  };
  const id = randomUUID();
  const render = (rewrites: number) => JSON.stringify({ ...ownHolder, id, written: rewrites });
  for (;;) {
    const latest = (await store.list(LOCKS)).at(-1);
    if (latest !== undefined && !(await requireStale(store, latest, ownHolder, report))) continue;
    const name = buildName(latest);
    if (!(await store.create(name, render(0)))) continue;
    if (await store.create(name, render(0))) throw new Error(UNCONDITIONAL);
    /** Lists all locks; none when another process holds the lock now. */
    const listHeld = async () => {
      const locks = await store.list(LOCKS);
      return locks.at(-1) === name && (await store.read(name))?.includes(id) === true ? locks : [];
    };
    const rewrite = async (rewrites: number) => {
      if ((await listHeld()).length === 0) return false;
      await store.write(name, render(rewrites));
      return true;
    };
    const stopping = new AbortController();
    const renewing = renew(rewrite, stopping.signal, onLost);
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await renewing;
        await store.remove(await listHeld());
      },
    };
  }
}

const UNCONDITIONAL =
  "This object storage overwrites an object that is to be created only once (it ignores If-None-Match), so two processes could overwrite each other's answers. Use another one: see docs/cluster.md.";

/**
 * Returns false if the lock was removed, so that another process may hold the next one already.
 * @throws Error when the holder still rewrites the lock
 */
async function requireStale(
  store: Store,
  name: string,
  ownHolder: Holder,
  report: (line: string) => void,
): Promise<boolean> {
  const before = await store.read(name);
  if (before === undefined) return false;
  const previousHolder = parseJson(holderSchema, name, before).value;
  if (previousHolder?.host === ownHolder.host && previousHolder.folder === ownHolder.folder) return true;
  const holder =
    previousHolder === undefined
      ? 'an unknown process'
      : `process ${previousHolder.pid} on ${previousHolder.host}, since ${previousHolder.since}`;
  report(
    `The run's store is locked by ${holder}. Waiting ${STALE_MS / 1_000} s to see whether that process still runs.`,
  );
  for (let waited = 0; waited < STALE_MS; waited += CHECK_MS) {
    await wait(CHECK_MS);
    const now = await store.read(name);
    if (now === undefined) return false;
    if (now !== before) {
      throw new Error(`The run is in use by ${holder}. Wait for it to finish, or stop it there with Ctrl-C.`);
    }
  }
  return true;
}

/** @param rewrite returns false when another process holds the lock */
async function renew(
  rewrite: (rewrites: number) => Promise<boolean>,
  stopping: AbortSignal,
  onLost: () => void,
): Promise<void> {
  for (let rewrites = 1; ; rewrites += 1) {
    try {
      await wait(RENEW_MS, undefined, { signal: stopping, ref: false });
    } catch {
      return;
    }
    try {
      if (!(await rewrite(rewrites))) return onLost();
    } catch {
      // The storage is out of reach; the next rewrite may succeed.
    }
  }
}

function buildName(latest: string | undefined): string {
  const number = latest === undefined ? 1 : Number(latest.slice(LOCKS.length + 1)) + 1;
  return `${LOCKS}/${String(number).padStart(6, '0')}`;
}

const holderSchema = z.object({ host: z.string(), folder: z.string(), pid: z.number(), since: z.string() });
type Holder = z.infer<typeof holderSchema>;

export const LOCKS = 'locks';
const RENEW_MS = 10_000;
const STALE_MS = 30_000;
const CHECK_MS = 2_000;
