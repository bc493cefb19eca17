import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { assert, asyncProperty } from 'fast-check';
import { z } from 'zod';
import { bundleFailure } from '../../../activities/synthesis/records/keep-failure';
import { readFailedPersonas } from '../../../data/run/artifacts';
import { buildBundleName, readBundle, readEntries } from '../../../data/run/bundles';
import { renderEntry } from '../../../data/run/journal';
import {
  bundleSchema,
  recordedHistorySchema,
  type Bundle,
  type RecordedEvent,
} from '../../../schemas/run/bundle';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { FailedWork } from '../../../schemas/run/outcome';
import { RecordingDamaged } from '../../../workers/replay/check-recording';
import { getInput } from '../../../workers/replay/recorded-events';
import { replay, ReplayHung, type WorkflowCode } from '../../../workers/replay/replay';
import { startRun, type InProcess } from '../../engine/workflows/synthesis/in-process';
import { changeEvents, changes } from '../../changed-json';
import { buildRecordedBundle } from '../../recorded-bundle';
import { COMMAND } from '../command';
import { buildChangedWorkflows } from './changed-workflows';
import { FailingDialogue } from './failing-dialogue';
import { runNodeOffline, runOffline } from './offline';

const CODE: WorkflowCode = {
  codePath: join(__dirname, '..', '..', '..', 'dist', 'workers', 'workflows.bundle.js'),
};

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
  const transcript = transcriptSchema.parse(JSON.parse(ended.stdout));
  const said = model.saidAfter(transcript.about.session.opening);
  expect(said.length).toBeGreaterThan(10);
  const answers = transcript.questions.flatMap(({ step, asks }) =>
    asks.map(({ entry }) => ({ step, text: entry?.answer.text })),
  );
  expect(answers).toEqual(said);
  expect(transcript.end.state).toBe('failed');
  expect(transcript.failed).toEqual(failed);
  expect(transcript.divergence).toBeUndefined();
});

test('says of each user turn what was scored and raised, and of each bad answer what was wrong', async () => {
  const { transcript } = await replay(bundle, CODE);
  const places = transcript.questions.map(({ step, turn, asks }) => [step, turn, asks.length]);
  expect(places).toEqual([
    ['assistant', 1, 1],
    ['user', 1, 2],
    ['assistant', 2, 1],
    ['user', 2, 10],
  ]);
  const [, first, , last] = transcript.questions;
  expect(first?.asks.map(({ verdict }) => verdict)).toEqual(['bad', 'used']);
  expect(first?.asks[0]?.problem).toContain('lacks the section');
  expect(first?.said).toMatchObject({ form: 'user turn', decision: 'CONTINUE' });
  expect(last?.asks.map(({ problem }) => problem)).toEqual(failed.reasons);
  expect(last?.said).toBeUndefined();
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

test('a workflow that repairs the answer of the other role is reported at the first call', async () => {
  const code = await buildChangedWorkflows(folder, 'synthesis/dialogue.ts', (source) =>
    source
      .replaceAll('assistantTurn', 'held')
      .replaceAll('userTurn', 'assistantTurn')
      .replaceAll('held', 'userTurn'),
  );
  const { divergence } = await replay(bundle, code);
  const { events } = present(bundle.history);
  const first = present(events.find((event) => isScheduled(event, 'userTurn')));
  expect(divergence?.event).toEqual({
    id: Number(first.eventId),
    type: 'ACTIVITY_TASK_SCHEDULED',
    of: 'userTurn',
  });
  expect(divergence).toMatchObject({
    recorded: `asks for session ${sessionOf(first)}, step user, turn 1, answer 2`,
    replayed: expect.stringMatching(/^does so in another way .*'userTurn' does not match .*'assistantTurn'/),
  });
});

/** The workflows with another turn limit for one dialogue. */
function endingAtTurn2(session: number | undefined): Promise<WorkflowCode> {
  return buildChangedWorkflows(folder, 'synthesis/dialogue.ts', (source) =>
    source.replace(
      'isLastAnswer(settings, ',
      `isLastAnswer({ ...settings, maxTurns: session === ${session} ? 2 : settings.maxTurns }, `,
    ),
  );
}

test('a dialogue that ends a turn earlier is reported at the call that it does not make', async () => {
  const code = await endingAtTurn2(failed.session);
  const { divergence, transcript } = await replay(bundle, code);
  // The first answers of each turn come from one activity; what is left is the user's repair.
  expect(divergence?.event).toMatchObject({ id: Number(scheduled('userTurn')[1]?.eventId), of: 'userTurn' });
  expect(divergence).toMatchObject({
    recorded: `asks for session ${failed.session}, step user, turn 2, answer 2`,
    replayed: 'does not',
  });
  expect(transcript.questions.map(({ step, turn }) => [step, turn])).toEqual([
    ['assistant', 1],
    ['user', 1],
    ['assistant', 2],
  ]);
});

test('a dialogue that uses fewer of the answers that one activity brought is reported at the first that it leaves', async () => {
  // Its turns are used up.
  const session = 12;
  const code = await endingAtTurn2(session);
  for (const looked of [session, 1, undefined]) {
    const recorded = buildRecordedBundle('persona-finished.json', looked);
    expect((await replay(recorded, CODE)).divergence).toBeUndefined();
    const { divergence } = await replay(recorded, code);
    expect(divergence).toMatchObject({
      event: { type: 'ACTIVITY_TASK_COMPLETED', of: 'carryDialogue' },
      recorded: 'asks for session 12, step user, turn 2, answer 1',
      replayed: 'does not',
    });
  }
});

test('a dialogue that its persona has not started cannot be replayed', async () => {
  await expect(replay(buildRecordedBundle('persona-finished.json', 99), CODE)).rejects.toThrow(
    'the history of its persona has no call of it',
  );
});

test('a persona is replayed without the calls of its dialogues, and each dialogue without those of the others', async () => {
  const persona = await replay(buildRecordedBundle('persona-finished.json'), CODE);
  const steps = persona.transcript.questions.map(({ step }) => step);
  expect(new Set(steps)).toEqual(new Set(['factors', 'journey', 'checklist']));
  expect(persona.end.state).toBe('completed');
  const dialogue = await replay(buildRecordedBundle('persona-finished.json', 12), CODE);
  expect(dialogue.end.state).toBe('completed');
  const turns = dialogue.transcript.questions.map(({ step, turn }) => [step, turn]);
  expect(turns).toEqual(
    [1, 2, 3, 4, 5, 6].flatMap((turn) => [['assistant', turn], ...(turn === 6 ? [] : [['user', turn]])]),
  );
});

test('a workflow that throws is reported where it does', async () => {
  const code = await buildChangedWorkflows(folder, 'synthesis/persona.ts', (source) =>
    source.replace('  try {\n', "  if (input.persona === 1) throw new TypeError('not today');\n  try {\n"),
  );
  const { divergence } = await replay(bundle, code);
  expect(divergence?.replayed).toBe('stops with the error "not today"');
  expect(divergence?.event).toEqual({ id: 4, type: 'WORKFLOW_TASK_COMPLETED' });
});

test('a dialogue that fails of another cause than the one that was kept is reported', async () => {
  const code = await buildChangedWorkflows(folder, 'ask.ts', (source) =>
    source.replace('No usable answer after', 'Nothing usable after'),
  );
  const { divergence } = await replay(bundle, code);
  expect(divergence).toMatchObject({
    event: { type: 'ACTIVITY_TASK_SCHEDULED', of: 'keepFailure' },
    recorded: `fails in session ${failed.session}: ${failed.cause}`,
    replayed: expect.stringMatching(/^fails in session \d+: Nothing usable after 10 attempts/),
  });
});

test.each([
  ['in the middle', 0, /\.assistant\.t1\.a0.*\.user\.t1\.a0/],
  // The workflow fails of this answer as it failed of the recorded one: nothing it does is any different.
  ['as the last answer of all', -1, /\.user\.t2\.a9.*\.assistant\.t2\.a9/],
])('an answer under the key of the other role is noticed, %s', async (_, at, keys) => {
  const own = new Set(
    [...scheduled('carryDialogue'), ...scheduled('userTurn')].map(({ eventId }) => eventId),
  );
  const events = present(bundle.history).events.filter((event) => {
    const { data } = completedSchema.safeParse(event);
    return data !== undefined && own.has(data.activityTaskCompletedEventAttributes.scheduledEventId);
  });
  const victim = present(events.at(at));
  const swapped = withAnswer(victim, (answer) =>
    answer.replace(/\.(user|assistant)\.t/, (key) => (key === '.user.t' ? '.assistant.t' : '.user.t')),
  );
  const { divergence } = await replay(swapped, CODE);
  expect(divergence?.event).toMatchObject({ id: Number(victim.eventId), type: 'ACTIVITY_TASK_COMPLETED' });
  expect(`${divergence?.replayed} ${divergence?.recorded}`).toMatch(keys);
});

test('a divergence ends the command with exit code 1 and names the turn and what both do', async () => {
  const { divergence } = await replay(bundle, CODE);
  expect(divergence).toBeUndefined();
  const first = present(present(bundle.history).events[0]);
  const shorter = withPayload(first, (input) => input.replace('"maxTurns":4', '"maxTurns":2'));
  const ended = await runOffline(folder, 'replay', written(shorter));
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  const event = scheduled('userTurn')[1]?.eventId;
  expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `The replay differs from the recording at session ${failed.session}, step user, turn 2 (event ${event}): the recording asks for session ${failed.session}, step user, turn 2, answer 2, this version does not.`,
  );
});

describe('answers of the journal that the history does not hold', () => {
  const spoken = 'Something that nobody said.';

  test.each([
    ['a used answer', 'assistant', 1, 0, spoken],
    // Of a rejected answer the history holds the reason only.
    ['a rejected answer', 'user', 1, 0, ''],
    ['the last answer', 'user', 2, 9, ''],
  ])('%s is reported at its turn, and the command fails', async (_, step, turn, ask, other) => {
    const key = `${failed.workflowId}#g0.${step}.t${turn}.a${ask}`;
    const changed = withEntry(key, (entry) => ({
      ...entry,
      answer: { ...entry.answer, text: other, finish: 'complete' },
    }));
    const { transcript, divergence } = await replay(changed, CODE);
    expect(divergence).toBeUndefined();
    const conflicts = transcript.questions.filter(({ asks }) =>
      asks.some((one) => one.conflict !== undefined),
    );
    expect(conflicts).toEqual([expect.objectContaining({ step, turn })]);
    const ended = await runOffline(folder, 'replay', written(changed));
    expect(ended).toMatchObject({ code: 1, stderr: '' });
    const text = ended.stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      `1 answer of the journal does not match the history, the first at step ${step}, turn ${turn}`,
    );
  });

  test('what the workflow used is shown, whatever the journal says', async () => {
    const key = `${failed.workflowId}#g0.assistant.t1.a0`;
    const changed = withEntry(key, (entry) => ({ ...entry, answer: { ...entry.answer, text: spoken } }));
    const [shown] = (await replay(changed, CODE)).transcript.questions;
    const [recorded] = (await replay(bundle, CODE)).transcript.questions;
    expect(shown?.said).toEqual(recorded?.said);
  });

  test('an entry that does not match its SHA-256 is named as damaged', async () => {
    const changed = written(bundle);
    const entry = bundle.entries
      .map((one) => JSON.stringify(one))
      .find((one) => one.includes('.assistant.t2.a0'));
    const text = readFileSync(changed, 'utf8');
    writeFileSync(
      changed,
      text.replace(present(entry), present(entry).replace('"milliseconds":', '"milliseconds":1')),
    );
    const ended = await runOffline(folder, 'replay', changed);
    expect(ended).toMatchObject({ code: 1, stderr: '' });
    expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'The journal entry of this answer is damaged: its content does not match its SHA-256.',
    );
  });
});

test('a damaged history is named as damage, and is not given to Temporal', async () => {
  const { events } = present(bundle.history);
  for (const [damaged, problem] of [
    [events.slice(1), 'event 1 of the history has the number "2"'],
    [events.slice(0, 1), 'the history ends at event 1'],
    [events.map((one, at) => (at === 3 ? { ...one, eventId: 'zzz' } : one)), 'has the number "zzz"'],
  ] as const) {
    const name = written({ ...bundle, history: { events: [...damaged] } });
    const ended = await runOffline(folder, 'replay', name);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(`The recording of ${failed.workflowId} is damaged: `);
    expect(ended.stderr).toContain(problem);
  }
});

test('whatever a history is changed to, its replay ends', async () => {
  const { events } = present(bundle.history);
  const { failed: _, ...open } = bundle;
  await assert(
    asyncProperty(changes, async (change) => {
      try {
        await replay({ ...open, history: { events: changeEvents(events, change) } }, CODE);
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingDamaged);
        expect(error).not.toBeInstanceOf(ReplayHung);
      }
    }),
    { numRuns: 30 },
  );
});

test('a replay that does not end is given up as damage, and the command ends', async () => {
  const hook = join(folder, 'endless.cjs');
  // Waits a hundredth of the time; would the command wait without end, so would this test.
  writeFileSync(
    hook,
    `const { setTimeout: wait, setInterval } = globalThis;
    globalThis.setTimeout = (work, ms, ...values) => wait(work, ms / 100, ...values);
    const { Worker } = require(${JSON.stringify(require.resolve('@temporalio/worker'))});
    Worker.runReplayHistory = () => new Promise(() => setInterval(() => undefined, 1_000));
    wait(() => process.exit(99), 30_000);`,
  );
  const ended = await runNodeOffline(folder, '--require', hook, COMMAND, 'replay', file);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(
    `The recording of ${failed.workflowId} is damaged: its replay did not end. Copy the bundle again from the folder of its run.`,
  );
});

test('a recording that ends before its workflow did says so, and what was waited for', async () => {
  const { events } = present(bundle.history);
  const at = events.findIndex(({ eventId }) => eventId === scheduled('userTurn')[1]?.eventId);
  const { failed: _, ...recorded } = bundle;
  const open = { ...recorded, history: { events: events.slice(0, at + 1) } };
  const { end, transcript, divergence } = await replay(open, CODE);
  expect(end).toMatchObject({ state: 'open', waitingFor: ['userTurn'] });
  expect(transcript.questions.at(-1)?.asks.map(({ verdict }) => verdict)).toEqual(['bad', 'open']);
  expect(divergence).toBeUndefined();
});

test('a failure whose history is unavailable keeps a bundle that says what it lacks', async () => {
  const engineless = new MockActivityEnvironment();
  const bare = bundleSchema.parse(await engineless.run(() => bundleFailure(started.files, failed)));
  expect(bare).toMatchObject({ failed, entries: bundle.entries, inputs: bundle.inputs });
  expect(bare.history).toBeUndefined();
  expect(bare.lacks).toEqual([
    expect.stringContaining(`The history of ${started.runId}/p1 could not be read`),
  ]);
  await expect(replay(bare, CODE)).rejects.toThrow(`${failed.workflowId} cannot be replayed`);
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is none.');
  return value;
}

/** The recorded events that schedule this activity of the dialogue that failed. */
function scheduled(activity: string): RecordedEvent[] {
  return present(bundle.history).events.filter(
    (event) => isScheduled(event, activity) && sessionOf(event) === failed.session,
  );
}

function isScheduled(event: RecordedEvent, activity: string): boolean {
  return JSON.stringify(event).includes(`"activityType":{"name":"${activity}"}`);
}

function sessionOf(event: RecordedEvent): number {
  return z.object({ session: z.number() }).parse(getInput(event)).session;
}

/** The bundle with another text of its history. */
function withEvents(change: (text: string) => string): Bundle {
  const text = JSON.stringify(bundle.history);
  expect(change(text)).not.toBe(text);
  return { ...bundle, history: recordedHistorySchema.parse(JSON.parse(change(text))) };
}

/** The bundle with another answer in one of its events. */
function withAnswer(victim: RecordedEvent, change: (answer: string) => string): Bundle {
  completedSchema.parse(victim);
  return withPayload(victim, change);
}

/** The bundle with another value in the first payload of one of its events. */
function withPayload(victim: RecordedEvent, change: (value: string) => string): Bundle {
  const [, data = ''] = /"data":"([^"]+)"/.exec(JSON.stringify(victim)) ?? [];
  const changed = Buffer.from(change(Buffer.from(data, 'base64').toString())).toString('base64');
  return withEvents((text) => text.replace(data, changed));
}

/** The bundle with another journal entry under a key, whose digest is right. */
function withEntry(key: string, change: (entry: JournalEntry) => JournalEntry): Bundle {
  const { entries } = readEntries(bundle);
  expect(entries.map((entry) => entry.key)).toContain(key);
  const changed = entries.map((entry) => (entry.key === key ? change(entry) : entry));
  return bundleSchema.parse({
    ...bundle,
    entries: changed.map((entry) => JSON.parse(renderEntry(entry)) as unknown),
  });
}

let files = 0;

function written(changed: Bundle): string {
  files += 1;
  const name = join(folder, `changed-${files}.bundle.json`);
  writeFileSync(name, JSON.stringify(changed));
  return name;
}

const completedSchema = z.object({
  activityTaskCompletedEventAttributes: z.object({
    scheduledEventId: z.string(),
    result: z.object({ payloads: z.array(z.object({ data: z.string() })) }),
  }),
});

const transcriptSchema = z.object({
  failed: z.unknown(),
  about: z.object({ session: z.object({ opening: z.string() }) }),
  questions: z.array(
    z.object({
      step: z.string(),
      asks: z.array(z.object({ entry: z.object({ answer: z.object({ text: z.string() }) }).optional() })),
    }),
  ),
  end: z.object({ state: z.string() }),
  divergence: z.unknown().optional(),
});
