import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockHolder, startOf } from '../../data/lock';
import { temporaryFolder } from '../temporary-folder';

const folder = temporaryFolder();

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a lock is free when its holder is dead, even if nobody has taken notice of the death', async () => {
  // The shell becomes a program that never asks after its children, as the first process of a container may be.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
  });
  try {
    const lock = join(folder, 'lock');
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid, started: await startOf(pid) }));
    expect(await lockHolder(lock)).toMatchObject({ pid });
    // The shell itself would take notice.
    while ((await readFile(`/proc/${parent.pid}/comm`, 'utf8')) !== 'sleep\n') await wait(20);
    process.kill(pid, 'SIGKILL');
    while (!/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8'))) await wait(20);
    expect(await lockHolder(lock)).toBeUndefined();
  } finally {
    // Dead or alive, it keeps its number while its parent is there.
    process.kill(pid, 'SIGKILL');
    parent.kill('SIGKILL');
  }
});
