import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { startStandIn } from '../stand-in/chat-server';
import { changeCode } from './changed-code';
import { hashDataSets } from './command';
import { readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { untilGone, untilServerOf } from './processes';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

const beside = setUpUndisturbedRun(1, {});

test('a run that is killed continues with other workflow code, at no cost and to the same bytes', async () => {
  await using standIn = await startStandIn({ latency: 100 });
  const run = join(beside.folder, 'changed');
  const first = beside.start('changed', standIn);
  // In the middle of the dialogues: the changed code cannot replay the open workflow of the persona.
  await untilJournalHas(run, beside.calls / 2, first);
  const server = await untilServerOf(run, first);
  first.child.kill('SIGKILL');
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
  await untilGone(server);
  const known = await readJournalSnapshot(run);
  expect(known.size).toBeLessThan(beside.calls);
  const versionBefore = codeVersionOf(run);

  standIn.latency = 0;
  const changed = changeCode(join(beside.folder, 'program'));
  const second = beside.start('changed', standIn, changed);
  // A workflow whose history differs from its code never ends.
  const stuck = wait(90_000, undefined, { ref: false }).then(() => `Not finished:\n${second.stderr()}`);
  expect(await Promise.race([second.ended, stuck])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no failures'),
  });
  expect(codeVersionOf(run)).not.toBe(versionBefore);
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  const snapshot = await readJournalSnapshot(run);
  expect(listRepeated(known, snapshot)).toEqual([]);
  // Only the calls that the kill caught in flight were made twice.
  expect(standIn.received.length - snapshot.size).toBeLessThanOrEqual(CONCURRENCY);
});

const versionSchema = z.object({ codeVersion: z.string() });

function codeVersionOf(runFolder: string): string {
  return versionSchema.parse(JSON.parse(readFileSync(join(runFolder, 'run.json'), 'utf8'))).codeVersion;
}
