import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import type { ModelRequest } from '../../models/model';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import { evaluationFileSchema } from '../../schemas/evaluation/evaluation-run';
import { messageSchema } from '../../schemas/dataset/message';
import { openQuestionReader, type Question, type QuestionReader } from '../stand-in/question';
import { buildGoodAnswer, buildSmallInstances } from '../engine/workflows/evaluation/evaluation-model';
import type { Ended } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { getEntryFile, readJournalSnapshot, listRepeated } from './journal';
import { estimateCalls } from './estimated';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand } from './processes';
import { hashResults, readResultRows } from './results';
import { ScriptedServer, type Asked, type Scripted } from './scripted-server';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');

/** Folder of the evaluation that all tests begin with. Some of its calls gave nothing usable. */
const MISSING = inFolder('missing');
const RETRIED = inFolder('retried');
/** A copy of it, of which every call was asked again, with usable answers. */
const COMPLETE = inFolder('complete');

/** Calls that are answered with nothing usable, as long as they are here: a step, and the instance it is for. */
const broken = new Set<string>();
const BROKEN = [
  'infer 1 consistent',
  'match 1 contrastive',
  'judge 1 changing',
  // No answer at all: the score is 0, and not missing.
  'respond 2 consistent',
  'classify 2 contrastive',
];
/** Called when a request arrives. */
let onRequest: () => void = () => undefined;

let server: ScriptedServer;
let read: QuestionReader;

beforeAll(async () => {
  read = await openQuestionReader();
  await writeParquet(DATA, INSTANCE_COLUMNS, buildSmallInstances(2));
  server = await ScriptedServer.start((asked) => {
    onRequest();
    return answerTo(asked);
  });
  for (const call of BROKEN) broken.add(call);
  expect(await runLoaded(evaluationIn(MISSING))).toMatchObject({ code: 3 });
  broken.clear();
  cpSync(MISSING, COMPLETE, { recursive: true });
  for (const only of [[], ['--only=i4/m1/full']]) {
    expect(await runLoaded(['retry', COMPLETE, '--trust', ...only])).toMatchObject({ code: 0 });
  }
});
beforeEach(() => broken.clear());
afterEach(async () => {
  onRequest = () => undefined;
  await endLeftovers();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('cupid retry in the folder of an evaluation', () => {
  test('lists by cupid failures what it can ask again', async () => {
    const { failures } = await failuresOf(MISSING);
    expect(failures.map(({ name, step, countsAsZero }) => ({ name, step, countsAsZero }))).toEqual([
      { name: 'i1/m1/full', step: 'infer', countsAsZero: false },
      { name: 'i2/m1/full', step: 'match', countsAsZero: false },
      { name: 'i3/m1/full', step: 'judge', countsAsZero: false },
      { name: 'i4/m1/full', step: 'respond', countsAsZero: true },
      { name: 'i5/m1/full/error', step: 'classify', countsAsZero: false },
    ]);
    expect((await runLoaded(['failures', MISSING])).stdout).toContain(
      `cupid retry ${MISSING} --only i1/m1/full`,
    );
  });

  test('asks what is named, then all that is missing, and then has nothing to do', async () => {
    cpSync(MISSING, RETRIED, { recursive: true });
    for (const call of BROKEN) broken.add(call);
    await retryNamed();
    await retryUnusable();
    await retryAll();
    await expectNothingMissing();
    await expectFinished();
    await retryOverlong();
  });

  test('refuses what it cannot do, naming what there is (exit 2)', async () => {
    expect(await refused(MISSING, '--from-turn', '2')).toContain('--from-turn applies to dialogues');
    expect(await refused(MISSING, '--model', server.spec('other'))).toContain(
      `cupid eval --results-dir ${MISSING} --rescore --evaluator SPEC`,
    );
    expect(await refused(MISSING, '--only', 'i6/m1/full')).toContain(
      'i6/m1/full: no call is missing there. Calls are missing in: i1/m1/full, i2/m1/full, i3/m1/full, i4/m1/full, i5/m1/full/error.',
    );
    expect(await refused(COMPLETE, '--only', 'i1/m1/full')).toContain(
      'no call is missing there or anywhere else',
    );
  });
});

describe('a retry that is killed', () => {
  test('comes to the same bytes when it is given again, wherever it was', async () => {
    const whole = inFolder('whole');
    cpSync(MISSING, whole, { recursive: true });
    expect(await runLoaded(['retry', whole, '--trust'])).toMatchObject({ code: 0 });
    const killed = inFolder('killed');
    cpSync(MISSING, killed, { recursive: true });
    const known = await readJournalSnapshot(killed);
    // While the first call is in flight, and before the studies are done.
    for (const request of [1, 6]) {
      const running = startCommand(['retry', killed, '--trust', '--concurrency=1']);
      let requests = 0;
      onRequest = () => {
        requests += 1;
        if (requests === request) running.child.kill('SIGKILL');
      };
      await running.ended;
    }
    onRequest = () => undefined;
    expect(await runLoaded(['retry', killed, '--trust'])).toMatchObject({ code: 0 });
    expect(await hashResults(killed)).toEqual(await hashResults(whole));
    expect(listRepeated(known, await readJournalSnapshot(killed))).toEqual([]);
    expect(runOf(killed).state).toBe('finished');
  });

  test('is brought to its end by the command that began the evaluation, too', async () => {
    const results = inFolder('taken-over');
    cpSync(MISSING, results, { recursive: true });
    const running = startCommand(['retry', results, '--trust', '--only=i2/m1/full']);
    onRequest = () => running.child.kill('SIGKILL');
    expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
    onRequest = () => undefined;
    const from = server.asked.length;
    expect(await evaluate(results)).toMatchObject({ code: 3 });
    expect(askedSince(from)).toContain('match 1 contrastive');
    const names = (await failuresOf(results)).failures.map(({ name }) => name);
    expect(names).not.toContain('i2/m1/full');
  });
});

describe('a damaged or lost answer', () => {
  const results = inFolder('damaged');
  const keyOf = (call: string) =>
    `${runOf(results).id}/i${call.split(' ')[0]}/m1/full#r0.${call.split(' ')[1]}.t0.a0`;
  const entry = (call: string) => getEntryFile(results, keyOf(call));

  afterEach(() => rmSync(results, { recursive: true }));

  test('stops the evaluation by name, and is asked again with all that was built on it, studies included', async () => {
    cpSync(COMPLETE, results, { recursive: true });
    writeFileSync(entry('5 infer'), readFileSync(entry('5 infer'), 'utf8').replace('Most', 'Mort'));
    expect(await evaluate(results)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `r0.infer.t0.a0.json is damaged: its content does not match its SHA-256. To ask the model again from that call on, run: cupid retry ${results} --damaged`,
      ),
    });
    const from = server.asked.length;
    const known = await readJournalSnapshot(results);
    const damaged = keyOf('5 infer');
    const repaired = await runLoaded(['retry', results, '--damaged', '--trust']);
    expect(repaired).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 damaged, 0 missing. 5 calls are repeated'),
    });
    expect(askedSince(from).toSorted()).toEqual([
      'classify 2 contrastive',
      'decompose 2 contrastive',
      'infer 2 contrastive',
      // Their judgments were missing when the studies were drawn.
      'judge 1 changing',
      'judge 2 consistent',
      'match 2 contrastive',
      'match 2 contrastive',
    ]);
    expect(listRepeated(known, await readJournalSnapshot(results))).toEqual([damaged]);
    expect((await runLoaded(['retry', results, '--damaged'])).stderr).toContain('0 damaged, 0 missing.');
  });

  test('is not asked again in its place, beside what was built on the first', async () => {
    cpSync(COMPLETE, results, { recursive: true });
    rmSync(entry('1 respond'));
    const file = join(results, 'run.json');
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), state: 'running', codeVersion: 'none' }),
    );
    const from = server.asked.length;
    expect(await runLoaded(evaluationIn(results))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'r0.respond.t0.a0.json is missing, and later answers were built on it.',
      ),
    });
    expect(askedSince(from)).toEqual([]);
    expect(await runLoaded(['retry', results, '--damaged'])).toMatchObject({ code: 0 });
    expect(askedSince(from)).toEqual(expect.arrayContaining(['respond 1 consistent', 'judge 1 consistent']));
  });
});

test('damage is repaired in the cells of an earlier command too', async () => {
  const results = inFolder('two-commands');
  cpSync(COMPLETE, results, { recursive: true });
  const other = evaluationIn(results).map((option) =>
    option.replace('=' + server.spec('tested'), '=' + server.spec('other')),
  );
  expect(await runLoaded(other)).toMatchObject({ code: 0 });
  const { id } = runOf(results);
  const entry = getEntryFile(results, `${id}/i6/m1/full#r0.infer.t0.a0`);
  writeFileSync(entry, readFileSync(entry, 'utf8').replace('Most', 'Mort'));
  const before = resultsOf(results);
  expect(await runLoaded(['retry', results, '--damaged', '--trust'])).toMatchObject({ code: 0 });
  expect(resultsOf(results)).toBe(before);
});

test('a retry does not take the studies of a command that was interrupted for carried out', async () => {
  const results = inFolder('interrupted');
  cpSync(MISSING, results, { recursive: true });
  const { id } = runOf(results);
  rmSync(join(results, '.cupid', 'journal', encodeURIComponent(`${id}/i5/m1/full/error`)), {
    recursive: true,
  });
  const file = join(results, 'run.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), state: 'running' }));
  rmSync(join(results, '.cupid', 'inputs', 'studies.json'));
  expect(await runLoaded(['retry', results, '--trust'])).toMatchObject({ code: 0 });
  const from = server.asked.length;
  expect(await evaluate(results)).toMatchObject({ code: 0 });
  expect(askedSince(from)).toContain('classify 2 contrastive');
});

test('a retry asks nothing that an evaluation has left open', async () => {
  const results = inFolder('open');
  cpSync(MISSING, results, { recursive: true });
  const { id } = runOf(results);
  const trial = join(results, '.cupid', 'journal', encodeURIComponent(`${id}/i6/m1/full`));
  rmSync(trial, { recursive: true });
  const from = server.asked.length;
  expect(await runLoaded(['retry', results, '--trust'])).toMatchObject({ code: 3 });
  const asked = askedSince(from);
  expect(asked).toContain('infer 1 consistent');
  expect(asked.filter((call) => call.endsWith('2 changing'))).toEqual([]);
});

/** Asks a call that is named, with what depends on it, and leaves everything else as it was. */
async function retryNamed() {
  broken.delete('infer 1 consistent');
  const estimated = await estimateCalls(RETRIED, ['retry', RETRIED, '--only', 'i1/m1/full']);
  const { asked, ended, changed } = await retried('--only', 'i1/m1/full');
  expect(asked).toHaveLength(estimated);
  expect(asked.toSorted()).toEqual([
    'decompose 1 consistent',
    'infer 1 consistent',
    'match 1 consistent',
    'match 1 consistent',
  ]);
  expect(ended.code).toBe(3);
  expect(changed).toEqual([
    [
      expect.objectContaining({ state: 'missing', missing_step: 'infer', f1: null }),
      expect.objectContaining({ state: 'scored', missing_step: null, f1: 1 }),
    ],
  ]);
}

/** Asks in another revision what stays unusable, and leaves it missing. */
async function retryUnusable() {
  const { asked, ended, changed } = await retried('--only=i3/m1/full');
  expect(new Set(asked)).toEqual(new Set(['judge 1 changing']));
  expect(ended.code).toBe(3);
  expect(changed).toEqual([]);
}

/** Asks exactly what is missing once the models are fixed, of trials and of studies. */
async function retryAll() {
  broken.clear();
  const { asked, ended, changed } = await retried();
  // Not the response whose history was too long for the model: its score is 0, and not missing.
  expect(asked.toSorted()).toEqual(['classify 2 contrastive', 'judge 1 changing', 'match 1 contrastive']);
  expect(ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      'Retrying 3 calls without a usable answer: match 1, judge 1, classify 1.',
    ),
  });
  expect(changed.map(([, after]) => after)).toEqual([
    expect.objectContaining({ task: 'inference', state: 'scored', f1: 1 }),
    expect.objectContaining({ task: 'generation', state: 'scored', score: 7 }),
  ]);
  expect(resultsOf(RETRIED)).toContain('"n_missing": 0');
  // The judge had been asked in vain twice.
  const judged = [...(await readJournalSnapshot(RETRIED)).keys()].filter((key) =>
    key.includes('judge.t1.a0'),
  );
  expect(judged).toEqual(expect.arrayContaining([expect.stringContaining('i3/m1/full#r2.judge.t1.a0')]));
  // Why they were missing is kept beside.
  const aside = join(RETRIED, '.cupid', 'superseded', 'missing');
  expect(
    readdirSync(aside, { recursive: true }).filter((name) => String(name).endsWith('.json')),
  ).toHaveLength(5);
}

/** Says that nothing is missing, asks nobody and leaves the same bytes. */
async function expectNothingMissing() {
  const before = await hashResults(RETRIED);
  const { asked, ended } = await retried();
  expect(asked).toEqual([]);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is missing in') });
  expect(await hashResults(RETRIED)).toEqual(before);
}

/** Has the evaluation finished for the command that began it. */
async function expectFinished() {
  const from = server.asked.length;
  expect(await evaluate(RETRIED)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('is already finished'),
  });
  expect(server.asked.slice(from)).toEqual([]);
}

/** Asks again where the history was too long for the model, because it is named. */
async function retryOverlong() {
  const { asked, ended, changed } = await retried('--only', `${runOf(RETRIED).id}/i4/m1/full`);
  expect(asked.toSorted()).toEqual(['judge 2 consistent', 'respond 2 consistent']);
  expect(ended.code).toBe(0);
  expect(changed.map(([, after]) => after)).toEqual([expect.objectContaining({ state: 'scored', score: 7 })]);
}

function answerTo(asked: Asked): Scripted {
  const question = questionOf(asked);
  const call = callOf(question);
  // An F1 low enough for the kind of its error to be asked for.
  if (call === 'match 2 contrastive') {
    return JSON.stringify({ results: [{ index: 1, label: 'Not Covered' }] });
  }
  if (!broken.has(call)) return buildGoodAnswer(requestOf(question));
  if (question.step === 'respond') {
    return { status: 400, code: 'context_length_exceeded', message: 'Too long by far.' };
  }
  return 'Nothing of use.';
}

function questionOf({ messages: [system, ...others] }: Asked): Question {
  const question = read(system?.content ?? '', messageSchema.array().parse(others));
  if (question === undefined) throw new Error(`No prompt of the pack: ${system?.content.slice(0, 200)}`);
  // Decomposing is asked in the words of synthesis.
  return question.step === 'checklist' ? { ...question, step: 'decompose' } : question;
}

/** As far as an answer depends on it. */
function requestOf(question: Question): ModelRequest {
  const rest = { system: '', messages: [], temperature: 0, maxTokens: 1, attempt: 0, seed: 0 };
  return { ...question, ...rest };
}

/** Returns the step and its instance, which every prompt has in its texts. */
function callOf({ step, values }: Question): string {
  // One direction of matching only: the other has the true preference.
  if (step === 'match' && values['checklist']?.includes('Entry of Inferred') === true) {
    return `match ${instanceIn(values)}`.replace('1 contrastive', '1 contrastive, the other way');
  }
  return `${step} ${instanceIn(values)}`;
}

function instanceIn(values: Question['values']): string {
  return /\d (?:consistent|contrastive|changing)/.exec(JSON.stringify(values))?.[0] ?? '';
}

function askedSince(from: number): string[] {
  expect(server.problems).toEqual([]);
  return server.asked.slice(from).map((asked) => callOf(questionOf(asked)));
}

async function evaluate(results: string): Promise<Ended> {
  return runLoaded(evaluationIn(results));
}

function evaluationIn(results: string): string[] {
  return [
    'eval',
    `--results-dir=${results}`,
    `--data=${DATA}`,
    '--task=both',
    `--model=${server.spec('tested')}`,
    `--evaluator=${server.spec('evaluator')}`,
    '--errors=1',
    '--judge-repeats=2',
  ];
}

/** Retries, and returns the calls and the changed rows, each as before and after. */
async function retried(...options: readonly string[]): Promise<{
  asked: string[];
  ended: Ended;
  changed: (readonly [EvaluationRow | undefined, EvaluationRow])[];
}> {
  const from = server.asked.length;
  const known = await readJournalSnapshot(RETRIED);
  const before = await readResultRows(RETRIED);
  const files = await hashResults(RETRIED);
  const ended = await runLoaded(['retry', RETRIED, '--trust', ...options]);
  const asked = askedSince(from);
  const journal = await readJournalSnapshot(RETRIED);
  expect(listRepeated(known, journal)).toEqual([]);
  expect(journal.size - known.size).toBe(asked.length);
  const after = await readResultRows(RETRIED);
  expect([...after.keys()]).toEqual([...before.keys()]);
  const changed = [...after]
    .map(([key, row]) => [before.get(key), row] as const)
    .filter(([was, is]) => JSON.stringify(was) !== JSON.stringify(is));
  // Only files of instances with changed rows are rewritten.
  const now = await hashResults(RETRIED);
  const others = Object.keys(now).filter((file) => file.startsWith('instances') && now[file] !== files[file]);
  expect(others).toHaveLength(changed.length);
  return { asked, ended, changed };
}

async function refused(results: string, ...options: readonly string[]): Promise<string> {
  const { code, stderr } = await runLoaded(['retry', results, '--trust', ...options]);
  expect(code).toBe(2);
  return stderr;
}

async function failuresOf(results: string): Promise<{
  failures: { name: string; step: string; countsAsZero: boolean }[];
}> {
  return JSON.parse((await runLoaded(['failures', results, '--json'])).stdout);
}

function runOf(results: string) {
  return evaluationFileSchema.parse(JSON.parse(readFileSync(join(results, 'run.json'), 'utf8')));
}

function resultsOf(results: string): string {
  return readFileSync(join(results, 'results.json'), 'utf8');
}
