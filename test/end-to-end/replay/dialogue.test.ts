import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { bundleFailure } from '../../../activities/synthesis/records/keep-failure';
import { readFailedPersonas } from '../../../data/run/artifacts';
import { buildBundleName, readBundle } from '../../../data/run/bundles';
import type { Bundle, RecordedHistory } from '../../../schemas/run/bundle';
import type { FailedWork } from '../../../schemas/run/outcome';
import { startRun, type InProcess } from '../../engine/workflows/synthesis/in-process';
import { present } from '../../recorded-work';
import { COMMAND } from '../command';
import { FailingDialogue } from './failing-dialogue';
import { runNodeOffline, runOffline } from './offline';

type Events = RecordedHistory['events'];

const model = new FailingDialogue();
const folder = mkdtempSync(join(tmpdir(), 'cupid-replay-'));
let started: InProcess;
let failed: FailedWork;
let bundle: Bundle;
/** The bundle, away from its run. */
let file: string;

beforeAll(async () => {
  started = await startRun({ nPersonas: 1, maxTurns: 4, model });
  expect(await started.run.result()).toMatchObject({ finished: 0, failed: 1 });
  failed = present((await readFailedPersonas(started.files.store)).flat()[0]);
  file = join(folder, 'moved.bundle.json');
  await started.files.store.fetch(buildBundleName(failed), file);
  bundle = present(await readBundle(file));
});

afterAll(async () => {
  await started[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('a failed dialogue replays with the network off and no key set, message by message as it was', async () => {
  expect((await runNodeOffline(folder, '-e', `require('node:net').connect(1)`)).stderr).toContain(
    'the network is off',
  );
  const ended = await runOffline(folder, 'replay', file, '--json');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const replayed = replaySchema.parse(JSON.parse(ended.stdout));
  const said = model.saidAfter(replayed.about.session.opening);
  expect(said.length).toBeGreaterThan(10);
  const answers = replayed.questions.flatMap(({ step, asks }) =>
    asks.map(({ entry }) => ({ step, text: entry?.answer.text })),
  );
  expect(answers).toEqual(said);
  expect(replayed).toMatchObject({
    failed,
    end: { state: 'failed' },
    differences: [],
    requestsCompared: true,
  });
});

test('is reported in lines no wider than 100, and no further than the turn that is wished', async () => {
  const whole = await runOffline(folder, 'replay', file);
  expect(Math.max(...whole.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(whole.stdout).toContain('Turn 2');
  expect(whole.stdout).toContain('Failed at step user, turn 2 (bad-answers)');
  const part = await runOffline(folder, 'replay', file, '--until-turn', '1');
  expect(part.code).toBe(0);
  expect(part.stdout).toContain('Turn 1');
  expect(part.stdout).not.toContain('Turn 2');
});

test.each<[string, () => Bundle, string]>([
  [
    'differs',
    () => ({
      ...bundle,
      inputs: { ...bundle.inputs, settings: { ...bundle.inputs.settings, maxTurns: 2 } },
    }),
    'The replay differs from the recording at step user, turn 2, answer 1: the recording asks for this answer, this version does not.',
  ],
  [
    'is damaged',
    () => {
      const own = `${failed.workflowId}#`;
      const isOwn = (entry: object) => JSON.stringify(entry).includes(own);
      return {
        ...bundle,
        entries: bundle.entries.map((entry) => (isOwn(entry) ? { ...entry, milliseconds: 1.5 } : entry)),
      };
    },
    'The journal entry of this answer is damaged: its content does not match its SHA-256.',
  ],
])(
  'a recording that %s ends the command with exit code 1 and is named at its turn',
  async (_, change, text) => {
    const ended = await runOffline(folder, 'replay', writeBundle(change()));
    expect(ended).toMatchObject({ code: 1, stderr: '' });
    expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain(text);
  },
);

test('a failure whose history is unavailable has a bundle that says so; its calls replay', async () => {
  const engineless = new MockActivityEnvironment();
  const bare: Bundle = await engineless.run(() => bundleFailure(started.files, failed));
  expect(bare).toMatchObject({ failed, entries: bundle.entries, inputs: bundle.inputs });
  const lacking = `The history of ${started.runId}/p1 could not be read`;
  expect(bare.lacks).toEqual([expect.stringContaining(lacking)]);
  const name = writeBundle(bare);
  expect(await runOffline(folder, 'replay', name)).toMatchObject({ code: 0, stderr: '' });
  expect(await runOffline(folder, 'replay', name, '--history')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`The bundle of ${failed.workflowId} has no history. ${lacking}`),
  });
});

test('the history of a failed dialogue replays with the workflow code of today', async () => {
  const ended = await runOffline(folder, 'replay', file, '--history', '--json');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const events = present(bundle.history).events.length;
  expect(JSON.parse(ended.stdout)).toMatchObject({ work: { id: failed.workflowId }, events, replays: true });
});

/** Events with other numbers, as if none were missing. */
const number = (events: Events): Events => events.map((event, at) => ({ ...event, eventId: String(at + 1) }));

test.each<[string, (events: Events) => Events, string]>([
  ['that lacks its end', (events) => events.slice(0, -9), 'before the failure that the bundle is about'],
  ['that lacks its beginning', (events) => events.slice(1), 'event 1 of its history has the number "2"'],
  ['of which one event is left', (events) => events.slice(0, 1), 'its history ends at event 1'],
  [
    'that does not start a workflow',
    (events) => number(events.slice(1)),
    'event 1 of its history does not start a workflow',
  ],
  [
    'of which an event has no fields',
    (events) => events.map((event, at) => (at === 6 ? { eventId: '7', eventType: event.eventType } : event)),
    'Temporal cannot replay its history (Missing attributes',
  ],
])('a history %s is damaged, by name', async (_, change, problem) => {
  const { events } = present(bundle.history);
  const name = writeBundle({ ...bundle, history: { events: change(events) } });
  const ended = await runOffline(folder, 'replay', name, '--history');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(`The recording of ${failed.workflowId} is damaged: `);
  expect(ended.stderr).toContain(problem);
});

test.each<[string, (events: Events) => Events]>([
  ['reordered', (events) => number([...events.slice(0, 4), ...events.slice(7, 10), ...events.slice(4, 7)])],
  ['giant', (events) => number([...events, ...Array.from({ length: 5_000 }, () => present(events[4]))])],
])('a history that was %s does not replay, and the event is named', async (_, change) => {
  const { failed: __, ...open } = bundle;
  const events = change(present(bundle.history).events);
  const ended = await runOffline(
    folder,
    'replay',
    writeBundle({ ...open, history: { events } }),
    '--history',
  );
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  expect(ended.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /does not replay: at event \d+ \([A-Z_]+\) the workflow does/,
  );
});

test('a replay that does not end is given up as damage, and the command ends', async () => {
  const hook = join(folder, 'endless.cjs');
  // Waits a hundredth of the time; would the command wait without end, so would this test.
  writeFileSync(
    hook,
    `const { timeout } = AbortSignal;
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 100);
    const { Worker } = require(${JSON.stringify(require.resolve('@temporalio/worker'))});
    Worker.runReplayHistory = () => new Promise(() => setInterval(() => undefined, 1_000));`,
  );
  const ended = await runNodeOffline(folder, '--require', hook, COMMAND, 'replay', file, '--history');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(
    `The recording of ${failed.workflowId} is damaged: the replay of its history did not end.`,
  );
});

let files = 0;

function writeBundle(changed: Bundle): string {
  files += 1;
  const name = join(folder, `changed-${files}.bundle.json`);
  writeFileSync(name, JSON.stringify(changed));
  return name;
}

const replaySchema = z.looseObject({
  about: z.object({ session: z.object({ opening: z.string() }) }),
  questions: z.array(
    z.object({
      step: z.string(),
      asks: z.array(z.object({ entry: z.object({ answer: z.object({ text: z.string() }) }).optional() })),
    }),
  ),
});
