import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Ended } from '../end-to-end/command';
import { listRepeated, readJournalSnapshot } from '../end-to-end/journal';
import { runLoaded } from '../end-to-end/loaded-command';
import { createTemporaryFolder } from '../temporary-folder';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { runOffline } from '../end-to-end/replay/offline';

const KEY = 'sk-that-nobody-may-ever-see';
const folder = createTemporaryFolder();
const out = join(folder, 'out');

let provider: StandIn;
let ended: Ended;

beforeAll(async () => {
  provider = await startStandIn({ simulated: { malformed: '0.2' } });
  const settings = join(folder, 'settings.yaml');
  const once = { maxRepairs: 0, maxSamples: 1 };
  // JSON is valid YAML. There are no repairs, so much fails.
  writeFileSync(settings, JSON.stringify({ steps: { factors: once, journey: once, user: once } }));
  ended = await runLoaded(
    [
      'synth',
      `--output-dir=${out}`,
      `--model=${provider.spec}`,
      `--settings=${settings}`,
      '--n-personas=8',
      '--n-sessions=9',
      '--max-turns=3',
    ],
    { OPENAI_COMPATIBLE_API_KEY: KEY },
  );
});
afterAll(() => provider.goDown());

test('every persona and dialogue that failed is listed, with the engine stopped, and has a bundle that replays', async () => {
  expect(ended).toMatchObject({ code: 3 });
  const listed = listSchema.parse(JSON.parse((await runOffline(folder, 'failures', out, '--json')).stdout));
  expect(new Set(listed.failures.map(({ session }) => session === null))).toEqual(new Set([true, false]));
  for (const {
    name,
    persona,
    session,
    workflowId,
    attempts,
    calls,
    tokens,
    bundle,
    step,
  } of listed.failures) {
    expect(name).toBe(session === null ? `${persona}` : `${persona}/s${session}`);
    expect(attempts).toBe(1);
    expect(calls).toBeGreaterThanOrEqual(attempts);
    expect(tokens.input).toBeGreaterThan(0);
    const replayed = await runOffline(folder, 'replay', join(out, bundle), '--json');
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    const { work, questions } = replaySchema.parse(JSON.parse(replayed.stdout));
    expect(work.id).toBe(workflowId);
    expect(questions.at(-1)).toMatchObject({ step, attempts: [{ verdict: 'bad' }] });
  }
});

test('failures are named in words with their cause, and with the commands that look at them and do them over', async () => {
  const { stdout, code } = await runOffline(folder, 'failures', out);
  expect(code).toBe(0);
  expect(stdout).toContain('No usable answer after 1 attempt; the last was: ');
  expect(stdout).toMatch(/Show one: cupid replay out\/failures\/p\d+(-s\d+)?\.bundle\.json/);
  expect(stdout).toMatch(/cupid retry .*out --only \d+/);
});

test('work is replayed by its id from the folder of its run, also what did not fail; only its history needs the engine', async () => {
  const { failures, run } = listSchema.parse(
    JSON.parse((await runOffline(folder, 'failures', out, '--json')).stdout),
  );
  const dialogue = failures.find(({ session }) => session !== null);
  for (const name of [dialogue?.name ?? '', dialogue?.workflowId ?? '']) {
    const replayed = await runOffline(folder, 'replay', name, '--output-dir', out, '--json');
    expect(replaySchema.parse(JSON.parse(replayed.stdout)).work.id).toBe(dialogue?.workflowId);
  }
  const withBundle = new Set(failures.flatMap(({ persona, session }) => (session === null ? [persona] : [])));
  const sound = [1, 2, 3, 4, 5, 6, 7, 8].find((persona) => !withBundle.has(persona));
  for (const name of [`${sound}`, `${sound}/s1`]) {
    const replayed = await runOffline(folder, 'replay', name, '--output-dir', out, '--json');
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(replayed.stdout)).toMatchObject({ differences: [] });
  }
  for (const [name, why, ...options] of [
    [
      `${sound}`,
      `has no history of ${run}/p${sound}, and its embedded Temporal server is stopped`,
      '--history',
    ],
    ['9', `"9" names no persona of run ${run}: its personas are 1 to 8.`],
  ] as const) {
    const other = await runOffline(folder, 'replay', name, '--output-dir', out, ...options);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(why);
  }
});

test('no bundle, and nothing else in the folder, holds the key that the models were asked with', () => {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .map((file) => join(out, file))
    .filter((file) => statSync(file).isFile());
  expect(files.filter((file) => file.endsWith('.bundle.json')).length).toBeGreaterThan(1);
  expect(files.filter((file) => readFileSync(file).includes(KEY))).toEqual([]);
  expect(provider.misunderstood).toEqual([]);
});

test('personas that nobody could describe have the calls of the run that asked without success', async () => {
  const undescribed = join(folder, 'undescribed');
  const settings = join(folder, 'once.yaml');
  writeFileSync(settings, JSON.stringify({ steps: { describe: { maxRepairs: 1, maxSamples: 1 } } }));
  const { code } = await runLoaded([
    'synth',
    `--output-dir=${undescribed}`,
    '--n-personas=2',
    `--settings=${settings}`,
    '--model=simulated:default?malformed=1',
  ]);
  expect(code).toBe(3);
  const failures = await runOffline(folder, 'failures', undescribed);
  expect(failures.stdout).toContain(
    '2  describe · personas 1–2, described in one call · bad-answers · 2 answers',
  );
  expect(failures.stdout).toContain('for all of these together');
  const note = await runOffline(folder, 'replay', join(undescribed, 'failures', '0000002.json'));
  expect(note.code).toBe(1);
  expect(note.stderr).toContain('is not a bundle. The bundles are beside it: p2.bundle.json.');
  const replayed = await runOffline(folder, 'replay', '2', '--output-dir', undescribed, '--json');
  const { work, questions } = replaySchema.parse(JSON.parse(replayed.stdout));
  expect(work.type).toBe('run');
  expect(questions).toMatchObject([{ step: 'describe', attempts: [{ verdict: 'bad' }, { verdict: 'bad' }] }]);
});

test('a run of which nothing failed says so', async () => {
  const whole = join(folder, 'whole');
  const { code } = await runLoaded([
    'synth',
    `--output-dir=${whole}`,
    '--n-personas=1',
    '--n-sessions=9',
    '--max-turns=1',
    '--model=simulated:default',
  ]);
  expect(code).toBe(0);
  expect(await runOffline(folder, 'failures', whole)).toEqual({
    code: 0,
    stdout: 'Nothing failed.\n',
    stderr: '',
  });
});

test('a failed dialogue is retried from a turn: the calls before it are not made again, nor those of others', async () => {
  const { failures } = listSchema.parse(
    JSON.parse((await runOffline(folder, 'failures', out, '--json')).stdout),
  );
  const before = { journal: await readJournalSnapshot(out), received: provider.received.length };
  const cameToTurn2 = (id: string) =>
    [...before.journal.keys()].some((key) => key.startsWith(`${id}#r0.user.t2.`));
  const { name, workflowId } = failures.find((failure) => cameToTurn2(failure.workflowId)) ?? {};
  provider.simulate({});
  await runLoaded(['retry', out, '--only', `${name}`, '--from-turn', '2'], {
    OPENAI_COMPATIBLE_API_KEY: KEY,
  });
  const journal = await readJournalSnapshot(out);
  const added = [...journal.keys()].filter((key) => !before.journal.has(key));
  expect(listRepeated(before.journal, journal)).toEqual([]);
  expect(added.length).toBeGreaterThan(0);
  expect(provider.received.length - before.received).toBe(added.length);
  // Only calls of that dialogue, from the second turn on (a turn is an answer of the assistant, then one of the user).
  expect(added.filter((key) => !key.startsWith(`${workflowId}#r1.`))).toEqual([]);
  expect(added.filter((key) => /\.t1\./.test(key))).toEqual([]);
});

const listSchema = z.object({
  run: z.string(),
  failures: z
    .array(
      z.object({
        name: z.string(),
        workflowId: z.string(),
        persona: z.number(),
        session: z.number().nullable(),
        step: z.string(),
        attempts: z.number(),
        calls: z.number(),
        tokens: z.object({ input: z.number(), output: z.number() }),
        bundle: z.string(),
      }),
    )
    .min(1),
});

const replaySchema = z.object({
  work: z.object({ id: z.string(), type: z.string() }),
  questions: z.array(z.object({ step: z.string(), attempts: z.array(z.object({ verdict: z.string() })) })),
});
