import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { assert, asyncProperty, nat, string } from 'fast-check';
import { bundleFailure } from '../../../../activities/synthesis/records/keep-failure';
import { BundleError, readBundle, readBundledEntries } from '../../../../data/run/bundles';
import { computePackHash } from '../../../../data/prompts/load';
import { writePlan, type RunPlan } from '../../../../data/run/inputs';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import { ModelError } from '../../../../models/errors/error';
import { bundleSchema, type Bundle } from '../../../../schemas/run/bundle';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { RecordingDamaged } from '../../../../workers/replay/bundled-calls';
import { replay, type ReplayResult } from '../../../../workers/replay/replay';
import { changeJson, changes } from '../../../changed-json';
import { present, recordPersona, renderEntries, type RecordedPersona } from '../../../recorded-work';
import { createTemporaryFolder } from '../../../temporary-folder';

const DIALOGUE = { persona: 1, session: 3 };
const UNUSABLE = 'I would rather not fill in a form.';
const folder = createTemporaryFolder();

/** Dialogue 3 has one bad answer in turn 1, and no usable answer of the user in turn 2. */
let recorded: RecordedPersona;
let bundle: Bundle;
/** Recorded with other prompts for the user, marked as the built-in ones. */
let promptsOfThen: RecordedPersona;
const key = (attempt: string) => `${bundle.inputs.id}/p1/s3#r0.${attempt}`;

beforeAll(async () => {
  recorded = await recordPersona(({ call, step, attempt }) => {
    if (step !== 'user' || !('session' in call) || call.session !== DIALOGUE.session) return undefined;
    return call.turn === 2 || (call.turn === 1 && attempt === 0) ? UNUSABLE : undefined;
  });
  bundle = recorded.bundle(DIALOGUE);
  promptsOfThen = await recordPersona(undefined, changePrompts);
});

function changePrompts(plan: RunPlan): RunPlan {
  const user = present(plan.prompts.prompts['synthesis/user_simulator']);
  const changed = { ...user, system_prompt: `${user.system_prompt}\nBe brief.` };
  const pack = {
    ...plan.prompts,
    prompts: { ...plan.prompts.prompts, 'synthesis/user_simulator': changed },
  };
  const prompts = { ...pack, hash: computePackHash(pack) };
  return {
    ...plan,
    prompts,
    inputs: { ...plan.inputs, prompts: { source: 'built-in', hash: prompts.hash } },
  };
}

const listVerdicts = ({ questions }: ReplayResult) =>
  questions.map(({ step, turn, attempts }) => [step, turn, ...attempts.map(({ verdict }) => verdict)]);

test('a failed dialogue is shown as it was, with what was wrong with each bad answer', async () => {
  const replayed = await replay(bundle);
  expect(replayed).toMatchObject({ differences: [], end: { state: 'failed' } });
  expect(listVerdicts(replayed)).toEqual([
    ['assistant', 1, 'used'],
    ['user', 1, 'bad', 'used'],
    ['assistant', 2, 'used'],
    ['user', 2, 'bad', 'bad', 'bad', 'bad'],
  ]);
  const [first, second, , last] = replayed.questions;
  expect(second?.attempts[0]).toMatchObject({
    problem: expect.stringContaining('lacks the section'),
    entry: { answer: { text: UNUSABLE } },
  });
  expect(second?.content).toMatchObject({ form: 'user turn', decision: 'CONTINUE' });
  expect(first?.content).toEqual({ form: 'message', message: textOf('assistant.t1.a0').trim() });
  expect(last?.attempts.map(({ problem }) => problem)).toEqual(bundle.failure?.reasons);
  expect(replayed.subject.session).toMatchObject({ number: 3, checklist: expect.any(Array) });
});

test.each([
  [{ persona: 1 }, 'completed', ['factors', 'journey', 'checklist']],
  [{ persona: 1, session: 2 }, 'completed', ['assistant', 'user']],
  [{}, 'completed', ['describe']],
] as const)('of %j only its own calls are shown', async (work, state, steps) => {
  const replayed = await replay(recorded.bundle(work));
  expect(replayed).toMatchObject({ differences: [], end: { state } });
  expect([...new Set(replayed.questions.map(({ step }) => step))]).toEqual(steps);
});

/** Returns the dialogue without one of its answers. */
const without = (attempt: string) =>
  recorded.bundle(DIALOGUE, (entry) => (entry.key === key(attempt) ? undefined : entry));

test('a dialogue in progress says what it waits for, and one that has not started cannot be replayed', async () => {
  const open = withoutLast();
  const replayed = await replay(open);
  expect(replayed).toMatchObject({
    differences: [],
    end: { state: 'open', nextKeys: [key('user.t2.a3')] },
  });
  expect(listVerdicts(replayed).at(-1)).toEqual(['user', 2, 'bad', 'bad', 'bad', 'open']);
  await expect(replay({ ...open, entries: [] })).rejects.toThrow('none of its calls is recorded');
});

test('a correction that was too long is followed by the next sample, and a call without an answer is the end', async () => {
  const persona = await recordPersona(({ step, call, attempt }) => {
    if (step !== 'user' || !('session' in call) || call.session !== DIALOGUE.session) return undefined;
    if (call.turn === 2) throw new ModelError('refused', 'Not this.');
    if (attempt === 1) throw new ModelError('context-length', 'Too long.');
    return attempt === 0 ? UNUSABLE : undefined;
  });
  const replayed = await replay(persona.bundle(DIALOGUE));
  expect(listVerdicts(replayed)).toEqual([
    ['assistant', 1, 'used'],
    ['user', 1, 'bad', 'unanswered', 'used'],
    ['assistant', 2, 'used'],
    ['user', 2, 'unanswered'],
  ]);
  expect(replayed).toMatchObject({ differences: [], end: { cause: 'Not this.' } });
  expect(replayed.questions[3]?.attempts[0]?.problem).toBe('refused: Not this.');
});

const textOf = (attempt: string) => present(recorded.entries.get(key(attempt))).answer.text;
/** Returns the dialogue with another answer's text under a key, and its correct digest. */
const withText = (attempt: string, other: string) =>
  recorded.bundle(DIALOGUE, (entry) =>
    entry.key === key(attempt) ? { ...entry, answer: { ...entry.answer, text: textOf(other) } } : entry,
  );
const withInputs = (change: object) => ({ ...bundle, inputs: { ...bundle.inputs, ...change } });
const withSettings = (change: object) =>
  bundleSchema.parse(withInputs({ settings: { ...bundle.inputs.settings, ...change } }));
const withPrompts = (prompts: RunPlan['prompts']['prompts'], hash = computePackHash({ prompts })) => ({
  ...withInputs({ prompts: { source: 'mine', hash } }),
  prompts: { source: 'mine', hash, prompts },
});
const withoutLast = (): Bundle => ({ ...without('user.t2.a3'), failure: undefined });
const failed = () => present(bundle.failure);
const warmer = { user: { maxRepairs: 1, maxSamples: 2, temperature: 1 } };

test.each<[string, () => Bundle, string, string]>([
  ['uses an answer that was rejected', () => withText('user.t1.a0', 'user.t1.a1'), 'user.t1.a0', 'verdict'],
  ['uses the last bad answer', () => withText('user.t2.a3', 'user.t1.a1'), 'user.t2.a3', 'verdict'],
  ['rejects an answer', () => withText('user.t1.a1', 'user.t1.a0'), 'user.t1.a2', 'attempt'],
  ['shows another answer', () => withText('assistant.t1.a0', 'user.t1.a1'), 'user.t1.a0', 'answers'],
  ['asks with other settings', () => withSettings({ steps: warmer }), 'user.t1.a0', 'settings'],
  ['has other built-in prompts', () => promptsOfThen.bundle(DIALOGUE), 'user.t1.a0', 'prompts'],
  ['makes fewer calls', () => withSettings({ maxTurns: 2 }), 'user.t2.a0', 'attempt'],
  ['asks for what has no answer', () => without('assistant.t2.a0'), 'assistant.t2.a0', 'attempt'],
  ['continues what was finished', () => ({ ...withoutLast(), finished: true }), 'user.t2.a3', 'attempt'],
  ['fails of another cause', () => ({ ...bundle, failure: { ...failed(), cause: '' } }), '', 'failure'],
])('a version that %s is reported at the attempt', async (_, change, attempt, kind) => {
  const [first] = (await replay(change())).differences;
  expect(first).toMatchObject({ kind, key: expect.stringContaining(attempt) });
});

test('a run without its engine writes a bundle that replays, and says that it lacks the history', async () => {
  const { plan, entries } = recorded;
  const store = createFolderStore(join(folder, 'store'));
  await writePlan(store, plan);
  const journal = openJournal(store);
  for (const entry of entries.values()) await journal.append(entry);
  const { id, settings, seeds } = plan.inputs;
  const templates = new Map(plan.templates.map((template) => [template.id, template]));
  const files = {
    ...plan,
    id,
    settings,
    seeds,
    templates,
    store,
    journal,
    codeVersion: '0',
    scratch: folder,
  };
  const written = await new MockActivityEnvironment().run((): Promise<Bundle> =>
    bundleFailure(files, failed()),
  );
  expect(written.missingParts).toEqual([
    expect.stringContaining(`The history of ${id}/p1 could not be read`),
  ]);
  expect(await replay(written)).toEqual(await replay(bundle));
});

test('of changed prompts only the calls that they are for are reported', async () => {
  expect((await replay(promptsOfThen.bundle({ persona: 1 }))).differences).toEqual([]);
  const { differences } = await replay(promptsOfThen.bundle(DIALOGUE));
  expect(new Set(differences.map(({ step, kind }) => `${step} ${kind}`))).toEqual(new Set(['user prompts']));
});

test('the cause of a call without an answer is named', async () => {
  const persona = await recordPersona(({ step }) => {
    if (step !== 'journey') return undefined;
    throw new ModelError('context-length', 'Too long.');
  });
  const replayed = await replay(persona.bundle({ persona: 1 }));
  expect(listVerdicts(replayed).at(-1)).toEqual(['journey', 0, 'unanswered']);
  expect(replayed).toMatchObject({ differences: [], end: { cause: 'Too long.' } });
});

test('an entry that does not match its SHA-256 is named as damaged, and ends what is shown', async () => {
  const damaged = key('assistant.t2.a0');
  const entries = bundle.entries.map((entry) =>
    JSON.stringify(entry).includes(damaged) ? { ...entry, durationMs: 12 } : entry,
  );
  const replayed = await replay({ ...bundle, entries });
  expect(replayed.damaged).toEqual(new Map([[damaged, 'its content does not match its SHA-256']]));
  const problem = 'The journal entry of this answer is damaged: its content does not match its SHA-256.';
  expect(replayed.questions.at(-1)?.attempts).toEqual([
    { key: damaged, attempt: 0, verdict: 'damaged', problem },
  ]);
});

test.each<[string, () => Bundle, string]>([
  ['a giant run', () => withInputs({ growth: [1e15] }), 'its run grew to 1000000000000000 personas'],
  ['a shrinking run', () => withInputs({ growth: [9, 1] }), 'its run grew to 1 personas'],
  ['another persona', () => ({ ...bundle, work: { persona: 99 } }), 'its run has no persona 99'],
  ['other prompts', () => withPrompts({}, 'other'), 'its prompts do not match the SHA-256'],
  ['no prompts', () => withPrompts({}), 'cannot be built: The prompt pack "mine" was loaded without'],
  ['no templates', () => ({ ...recorded.bundle({}), templates: [] }), 'does not know persona 1'],
])('a bundle with %s is damaged, by name', async (_, change, problem) => {
  const replaying = replay(change());
  await expect(replaying).rejects.toThrow(RecordingDamaged);
  await expect(replaying).rejects.toThrow(problem);
});

describe('a bundle is replayed or refused by name, never more', () => {
  const file = join(folder, 'changed.bundle.json');
  const read = async (text: string) => {
    writeFileSync(file, text);
    try {
      const changed = await readBundle(file);
      if (changed !== undefined) await replay(changed);
    } catch (error) {
      if (error instanceof BundleError || error instanceof RecordingDamaged) return;
      expect(error).toMatchObject({ message: expect.stringContaining('none of its calls is recorded') });
    }
  };

  test('with a giant journey', async () => {
    const settings = { ...bundle.inputs.settings, nSessions: 1e9 };
    writeFileSync(file, JSON.stringify(withInputs({ settings })));
    await expect(readBundle(file)).rejects.toThrow(BundleError);
  });

  test('cut or overwritten anywhere', () => {
    const text = JSON.stringify(bundle);
    return assert(
      asyncProperty(nat(text.length), string({ unit: 'binary', maxLength: 20 }), async (at, put) => {
        await read(text.slice(0, at));
        await read(text.slice(0, at) + put + text.slice(at + put.length));
      }),
      { numRuns: 50 },
    );
  });

  test('with values dropped, repeated, swapped or replaced, also in entries whose SHA-256 is right', () =>
    assert(
      asyncProperty(changes, async (by) => {
        await read(JSON.stringify(changeJson(bundle, by) ?? null));
        const changed = changeJson(readBundledEntries(bundle).entries, by);
        const entries = Array.isArray(changed) ? renderEntries(changed.filter(isEntry)) : [];
        await read(JSON.stringify({ ...bundle, entries }));
      }),
      { numRuns: 40 },
    ));

  test('nested deeper than the stack', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    await read(JSON.stringify(bundle).replace('"lacks":', `"other":${deep},"lacks":`));
    await read('['.repeat(200_000));
  });
});

/** Checks only that it is an object, because tests change its fields. */
function isEntry(value: unknown): value is JournalEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
