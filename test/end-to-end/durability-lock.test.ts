import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LockedError, findLockHolder, takeLock } from '../../data/store/lock';
import { compileModule } from '../compile-module';
import { createTemporaryFolder } from '../temporary-folder';

const folder = createTemporaryFolder();

const mayUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
// Only root may make a PID namespace, and not in every container.
const acrossNamespaces = mayUnshare ? test : test.skip;

acrossNamespaces(
  'a lock holds across PID namespaces of one host name, and ends with its process',
  async () => {
    const lock = join(folder, 'namespaces', 'lock');
    // The same process number in two namespaces, as two containers have it.
    const first = holderIn(lock, 'unshare', '--pid', '--fork', '--mount-proc', '--kill-child');
    expect(await first.said()).toBe('taken');
    expect(await findLockHolder(lock, folder)).toMatchObject({ pid: 1, host: hostname() });
    expect(Date.parse((await findLockHolder(lock, folder))?.since ?? '')).toBeGreaterThan(
      Date.now() - 60_000,
    );
    await expect(takeLock(lock, folder)).rejects.toThrow(LockedError);
    const second = holderIn(lock, 'unshare', '--pid', '--fork', '--mount-proc', '--kill-child');
    expect(await second.said()).toBe('LockedError');
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    while ((await findLockHolder(lock, folder)) !== undefined) await wait(20);
    const release = await takeLock(lock, folder);
    expect(await findLockHolder(lock, folder)).toMatchObject({ pid: process.pid });
    release();
    expect(await findLockHolder(lock, folder)).toBeUndefined();
  },
);

test('releasing a lock leaves the lock that another process took on a new file of its name', async () => {
  const lock = join(folder, 'own', 'lock');
  const release = await takeLock(lock, folder);
  // As somebody does who believes the machine that holds it is gone.
  rmSync(lock);
  const other = holderIn(lock);
  expect(await other.said()).toBe('taken');
  const signed = readFileSync(lock, 'utf8');
  release();
  expect(readFileSync(lock, 'utf8')).toBe(signed);
  expect(await findLockHolder(lock, folder)).toMatchObject({ pid: other.child.pid });
  await expect(takeLock(lock, folder)).rejects.toThrow(LockedError);
});

test('of many that take a lock at once, over one that a dead process left, one gets it', async () => {
  const lock = join(folder, 'many', 'lock');
  const dead = holderIn(lock);
  expect(await dead.said()).toBe('taken');
  dead.child.kill('SIGKILL');
  await once(dead.child, 'close');
  const all = Array.from({ length: 6 }, () => holderIn(lock));
  const said = await Promise.all(all.map((one) => one.said()));
  expect(said.toSorted()).toEqual([
    'LockedError',
    'LockedError',
    'LockedError',
    'LockedError',
    'LockedError',
    'taken',
  ]);
});

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that takes a lock, says so, and stays; or says what it was refused with. */
const TAKE = `
require(${JSON.stringify(compileModule('data/store/lock.ts'))}).takeLock(process.argv[1], ${JSON.stringify(folder)}).then(
  () => { process.stdout.write('taken'); setInterval(() => undefined, 1000); },
  (error) => process.stdout.write(error.name),
);`;

function holderIn(lock: string, ...prefix: readonly string[]) {
  const [command, ...args] = [...prefix, process.execPath, '-e', TAKE, lock];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const said = once(child.stdout.setEncoding('utf8'), 'data');
  return { child, said: async () => String((await said)[0]) };
}
