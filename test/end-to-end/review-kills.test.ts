import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../../data/store/system-error';
import { createTemporaryFolder } from '../temporary-folder';
import type { Running } from './command';
import { listRepeated } from './journal';
import { planKills, surviveKills } from './kills';
import { runLoaded } from './loaded-command';
import { listTasks, saveAnnotation, untilServed, type Ask } from './page-requests';
import { endLeftovers, startCommand, untilRunning, interrupt } from './processes';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
const review = join(folder, 'review');

beforeAll(async () => {
  const synth = ['synth', `--output-dir=${run}`, '--model=simulated:default', '--n-personas=1'];
  expect(await runLoaded(synth)).toMatchObject({ code: 0 });
});
afterAll(endLeftovers);

test('a review that is killed while annotations are saved has all that it confirmed, and shows them', async () => {
  const killable = {
    folder: review,
    start,
    // More than are saved between the kills.
    calls: 1_000_000,
    records: { read: readAnnotations, untilThereAre: untilAnnotated },
  };
  await surviveKills(
    killable,
    (random) => planKills(random, ['command', 'command', 'command'], 1),
    async ({ running, known, killsOfCommand }) => {
      await untilAnnotated(review, (await readAnnotations()).size + 1, running);
      await interrupt(running);
      await Promise.all(saving);
      const kept = await readAnnotations();
      process.stdout.write(`${killsOfCommand} kills of the command: ${kept.size} annotations\n`);
      expect(listRepeated(known, kept)).toEqual([]);
      expect(saved.filter((reason) => !kept.has(reason))).toEqual([]);
      // At most one annotation of each process was not confirmed: the one that it was saving.
      expect(kept.size - saved.length).toBeLessThanOrEqual(killsOfCommand + 1);
    },
  );
});

/** By the reason that each has: what the review confirmed. */
const saved: string[] = [];
const saving: Promise<void>[] = [];
/** Failure of saving while the process is alive. */
let failure: unknown;
let reasons = 0;

/** Starts the review, and saves one annotation after the other as long as it answers. */
function start(): Running {
  const running = startCommand(['review', run, `--results-dir=${review}`, '--rater=anna', '--rater=ben']);
  saving.push(saveOn(running).catch((error: unknown) => void (failure = error)));
  return running;
}

async function saveOn(running: Running): Promise<void> {
  const ask = await untilServed(running);
  if (ask === undefined) return;
  try {
    // The same one each time: those that are done come last in the list.
    const [task = ''] = (await listTasks(ask)).toSorted();
    const kept = await readAnnotations();
    expect(await readShown(ask, task)).toBe([...kept.keys()].at(-1) ?? null);
    for (;;) {
      reasons += 1;
      const reason = `reason ${reasons}`;
      const answer = await saveAnnotation(ask, { rater: 'anna', task }, reason);
      expect(savedSchema.parse(JSON.parse(answer)).isFinished).toBe(false);
      saved.push(reason);
    }
  } catch (error) {
    if (!running.child.killed) throw error;
  }
}

const savedSchema = z.object({ isFinished: z.boolean() });

/** Reads the reason of the rater's latest annotation as the page shows it. */
async function readShown(ask: Ask, task: string): Promise<string | null> {
  const answer = await ask(`/api/task?${new URLSearchParams({ task }).toString()}`);
  return viewSchema.parse(JSON.parse(answer)).latestAnnotation?.rejection ?? null;
}

const viewSchema = z.object({ latestAnnotation: z.object({ rejection: z.string() }).nullable() });

/** Reads the complete lines of the rater's file, by their reason. */
async function readAnnotations(): Promise<Map<string, string>> {
  const file = join(review, 'annotations', 'anna.jsonl');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  const lines = text.split('\n').slice(0, -1);
  return new Map(lines.map((line) => [rejectedSchema.parse(JSON.parse(line)).rejection, line]));
}

const rejectedSchema = z.object({ rejection: z.string() });

async function untilAnnotated(_: string, entries: number, running: Running): Promise<void> {
  await untilRunning(running, `there were ${entries} annotations`, async () => {
    if (failure !== undefined) throw failure;
    return (await readAnnotations()).size >= entries;
  });
}
