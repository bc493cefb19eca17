import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Running } from '../end-to-end/command';
import { runLoaded } from '../end-to-end/loaded-command';
import { listTasks, saveAnnotation, untilServed, type Ask } from '../end-to-end/page-requests';
import { endLeftovers, kill, startCommand } from '../end-to-end/processes';
import { createTemporaryFolder } from '../temporary-folder';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
const review = join(folder, 'review');

afterAll(endLeftovers);

test('an annotation that was saved is kept, and shown again, when the review is killed right after it', async () => {
  const synth = ['synth', `--output-dir=${run}`, '--model=simulated:default', '--n-personas=1'];
  expect(await runLoaded(synth)).toMatchObject({ code: 0 });
  const reasons = ['first', 'second', 'third'];
  for (const [at, reason] of reasons.entries()) {
    const { running, ask, task } = await serve();
    expect(await readShown(ask, task)).toBe(reasons[at - 1] ?? null);
    await saveAnnotation(ask, { rater: 'anna', task }, reason);
    await kill(running);
  }
  const lines = (await readFile(join(review, 'annotations', 'anna.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => rejectedSchema.parse(JSON.parse(line)).rejection)).toEqual(reasons);
});

/** Starts the review, and returns the rater's first task. */
async function serve(): Promise<{ running: Running; ask: Ask; task: string }> {
  const running = startCommand(['review', run, `--results-dir=${review}`, '--rater=anna', '--rater=ben']);
  const ask = await untilServed(running);
  if (ask === undefined) throw new Error(`The review ended: ${(await running.ended).stderr}`);
  const [task = ''] = (await listTasks(ask)).toSorted();
  return { running, ask, task };
}

/** Reads the reason of the rater's latest annotation as the page shows it. */
async function readShown(ask: Ask, task: string): Promise<string | null> {
  const answer = await ask(`/api/task?${new URLSearchParams({ task }).toString()}`);
  return viewSchema.parse(JSON.parse(answer)).latestAnnotation?.rejection ?? null;
}

const rejectedSchema = z.object({ rejection: z.string() });
const viewSchema = z.object({ latestAnnotation: rejectedSchema.nullable() });
