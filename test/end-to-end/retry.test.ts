import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealJson } from '../../data/store/stored-json';
import * as z from 'zod';
import { failedWorkSchema, type FailedWork } from '../../schemas/run/outcome';
import type { Instance } from '../../schemas/dataset/instance';
import type { Provenance } from '../../schemas/dataset/provenance';
import type { PersonaRecord } from '../../schemas/dataset/record';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { runInputsSchema } from '../../schemas/run/run';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { hashDataSets, type Ended } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { readJournalSnapshot, listRepeated } from './journal';
import { estimateCalls } from './estimated';
import { runLoaded } from './loaded-command';
import { parsePersonaNumber, readInstances, readProvenance, readRecords, readRunFile } from './outputs';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);

const PERSONAS = 4;
/** Folder of the run that all tests begin with. Some of its dialogues failed. */
const FAILED = 'failed';
const RETRIED = 'retried';
const OTHER = 'other-model';

/** Answers that are unusable now and then, which fail a dialogue at once. */
const FAILING = { malformed: '0.02' };

let standIn: StandIn;
let failures: FailedWork[];

beforeAll(async () => {
  standIn = await startStandIn({ simulated: FAILING });
  const once = { maxRepairs: 0, maxSamples: 1 };
  writeFileSync(inFolder('settings.json'), JSON.stringify({ steps: { user: once, assistant: once } }));
  // Which dialogues fail depends on the texts: ask for other answers until one of them fails late enough. Today the first ones do.
  for (standIn.variant = 6; standIn.variant < 16; standIn.variant += 1) {
    rmSync(inFolder(FAILED), { recursive: true, force: true });
    failures = resultOf(await runLoaded(synthOf(FAILED))).failures;
    const failed = new Set(failures.map(({ persona }) => persona));
    if (failed.size > 1 && failed.size < PERSONAS && failedLate().length > 0) break;
  }
});
beforeEach(() => standIn.simulate({}));
afterAll(() => standIn.goDown());

describe('cupid retry', () => {
  test('asks from a turn on, then all that failed, counts all that was paid, and then has nothing to do', async () => {
    cpSync(inFolder(FAILED), inFolder(RETRIED), { recursive: true });
    await retryFromTurn();
    await retryAll();
    await expectAllCounted();
    await expectNothingFailed();
  });

  test('refuses what it cannot do, naming what it could (exit 2)', async () => {
    expect(await refused('--only', '99')).toContain('has personas 1 to 4');
    const whole = [1, 2, 3, 4].find((number) => failures.every((one) => one.persona !== number));
    expect(await refused('--only', String(whole))).toContain(`${whole} did not fail. What failed: `);
    expect((await runLoaded(['retry', inFolder('nothing')])).stderr).toContain('contains no run');
  });
});

describe('a retry that asks another model', () => {
  test('asks it from there on, says so in the provenance, and may be followed by growth and other retries', async () => {
    await retryWithOther();
    await growAndRetry();
  });

  test('leaves the data without a mark where a simulated model was tried in vain', async () => {
    const tried = 'tried-in-vain';
    cpSync(inFolder(FAILED), inFolder(tried), { recursive: true });
    const ended = await retry(tried, '--model', 'simulated:default?malformed=1');
    expect(ended.code).toBe(3);
    expect(readRunFile(inFolder(tried)).simulated).toBe(false);
    expect(await runLoaded(['validate', inFolder(tried)])).toMatchObject({ code: 0 });
  });
});

describe('a retry that was killed', () => {
  test('between the plan and what follows from it is carried out by the next command', async () => {
    const name = 'crashed';
    cpSync(inFolder(FAILED), inFolder(name), { recursive: true });
    // The plan is kept, and nothing else was done.
    const { persona, session, step, turn } = late();
    const file = join(inFolder(name), '.cupid', 'inputs', 'run.json');
    const inputs = runInputsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const restarts = [{ persona, session, step, turn, revision: 1 }];
    writeFileSync(file, sealJson({ format: FOLDER_FORMAT, ...inputs, restarts }));
    const before = await stateOf(name);
    const ended = await synth(name, '--json');
    expect(resultOf(ended).failures).toEqual(failures.filter((one) => one.persona !== persona));
    const after = await stateOf(name);
    listAdded(before, after);
    expectUnchanged(before, after, persona);
    expect(readRunFile(inFolder(name))).toMatchObject({ state: 'finished', restarts });
  });
});

describe('cupid synth --only … --regenerate', () => {
  const WHOLE = 'whole';
  const REGENERATED = 'regenerated';

  beforeAll(async () => {
    standIn.simulate({});
    cpSync(inFolder(FAILED), inFolder(WHOLE), { recursive: true });
    expect(await retry(WHOLE)).toMatchObject({ code: 0 });
  });
  beforeEach(() => {
    rmSync(inFolder(REGENERATED), { recursive: true, force: true });
    cpSync(inFolder(WHOLE), inFolder(REGENERATED), { recursive: true });
  });

  test('makes the named personas again from their description, and changes no other row', async () => {
    const regenerate = [...synthOf(REGENERATED), '--only', '1', '--regenerate'];
    const estimated = await estimateCalls(inFolder(REGENERATED), regenerate);
    const before = await stateOf(REGENERATED);
    const ended = await runLoaded(regenerate);
    expect(ended.code).toBe(0);
    const after = await stateOf(REGENERATED);
    const added = listAdded(before, after);
    // Only those of the persona that is generated again.
    expect(estimated).toBeGreaterThan(0);
    expect(estimated).toBeLessThanOrEqual(added.length);
    expectUnchanged(before, after, 1);
    const [was, is] = [before, after].map(({ records }) => records[0]);
    expect(is?.persona).toEqual(was?.persona);
    expect(is?.context_factors).not.toEqual(was?.context_factors);
    expect(await synth(REGENERATED)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already finished. Nothing was changed.'),
    });
  });

  test('with --redescribe makes the description again as well', async () => {
    const before = await stateOf(REGENERATED);
    expect(await synth(REGENERATED, '--only', '1', '--regenerate', '--redescribe')).toMatchObject({
      code: 0,
    });
    const after = await stateOf(REGENERATED);
    expectUnchanged(before, after, 1);
    const [was, is] = [before, after].map(({ records }) => records[0]);
    expect(is?.persona.seed).toBe(was?.persona.seed);
    expect(is?.persona.description).not.toBe(was?.persona.description);
    expect(listAdded(before, after).filter((key) => key.includes('.describe.'))).toEqual([
      `#r${readRunFile(inFolder(REGENERATED)).restarts.at(-1)?.revision}.describe.t1`,
    ]);
  });

  test('names what is missing, and whom there is not (exit 2)', async () => {
    expect(await synth(REGENERATED, '--only', '2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add --regenerate, or remove --only.'),
    });
    expect(await synth(REGENERATED, '--regenerate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add them, for example --only 17,42.'),
    });
    expect(await synth(REGENERATED, '--only', '2,17,42', '--regenerate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--only 17, 42: run '),
    });
  });
});

/** Asks for nothing before the turn, nor for anything of anybody else. */
async function retryFromTurn() {
  const { persona, session, turn } = late();
  const before = await stateOf(RETRIED);
  const ended = await retry(RETRIED, '--only', `${persona}/s${session}`, '--from-turn', '2', '--json');
  const after = await stateOf(RETRIED);
  const added = listAdded(before, after);
  // The turn that had failed was come to again.
  expect(added).toEqual(
    expect.arrayContaining([`p${persona}/s${session}#r1.assistant.t2`, expect.stringContaining(`.t${turn}`)]),
  );
  for (const key of added) {
    expect(key).toMatch(new RegExp(`^p${persona}/s${session}#r1\\.(assistant|user)\\.t([2-9]|1\\d)$`));
  }
  const others = failures.filter((one) => one.persona !== persona);
  expect(resultOf(ended).failures).toEqual(others);
  expect(ended.code).toBe(others.length > 0 ? 3 : 0);
  expectUnchanged(before, after, persona);
  expect(after.records.map(({ persona: { id } }) => id)).toContain(persona);
}

/** Begins with the calls that failed, and leaves whole data sets. */
async function retryAll() {
  const before = await stateOf(RETRIED);
  const left = resultOf(await synth(RETRIED, '--json')).failures;
  expect(left).not.toEqual([]);
  expect(await estimateCalls(inFolder(RETRIED), ['retry', inFolder(RETRIED)])).toBeGreaterThan(0);
  const ended = await retry(RETRIED);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('12 instances, no failures.') });
  expect(await estimateCalls(inFolder(RETRIED), ['retry', inFolder(RETRIED)])).toBe(0);
  const after = await stateOf(RETRIED);
  const added = listAdded(before, after);
  for (const { persona, session, step, turn } of left) {
    const own = added.filter((key) => key.startsWith(`p${persona}/s${session}#`));
    expect(own).toContain(`p${persona}/s${session}#r1.${step}.t${turn}`);
    expect(own.map((key) => Number(/\d+$/.exec(key)?.[0])).filter((one) => one < (turn ?? 0))).toEqual([]);
  }
  expectUnchanged(before, after, ...left.map(({ persona }) => persona));
  const { codeVersion } = readRunFile(inFolder(RETRIED));
  expect(after.provenance.every((row) => row.code_version === codeVersion)).toBe(true);
  // The folder lists current failures; earlier ones are kept beside it.
  expect(existsSync(join(inFolder(RETRIED), 'failures'))).toBe(false);
  for (const { persona } of left) {
    const aside = `superseded/000000${persona}/failures-1/000000${persona}.json`;
    expect(existsSync(join(inFolder(RETRIED), '.cupid', aside))).toBe(true);
  }
}

/** Counts what was paid for a persona over all its revisions. */
async function expectAllCounted() {
  const { journal, provenance } = await stateOf(RETRIED);
  const keys = [...journal.keys()].map(shorten).filter((key) => key.startsWith('p'));
  const calls = new Map(provenance.map((row) => [row.persona_id, row]));
  const sum = (of: 'calls' | 'bad_answers') => [...calls.values()].reduce((total, row) => total + row[of], 0);
  expect(sum('calls')).toBe(keys.length);
  // All but one answer to a repeated question are bad, and so are those that failed a dialogue.
  const questions = new Set(keys);
  expect(sum('bad_answers')).toBe(keys.length - questions.size + failures.length);
}

async function expectNothingFailed() {
  const before = await hashDataSets(inFolder(RETRIED));
  const files = readRunFile(inFolder(RETRIED));
  expect(await retry(RETRIED)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Nothing failed in ${inFolder(RETRIED)}. Nothing was changed.`),
  });
  expect(await hashDataSets(inFolder(RETRIED))).toEqual(before);
  expect(readRunFile(inFolder(RETRIED))).toEqual(files);
}

async function retryWithOther() {
  cpSync(inFolder(FAILED), inFolder(OTHER), { recursive: true });
  const { persona, session, step, turn } = late();
  const before = await stateOf(OTHER);
  await retry(OTHER, '--only', `${persona}/s${session}`, '--model', standIn.specOf('other'));
  const after = await stateOf(OTHER);
  const asked = standIn.received.slice(before.received).map(({ model }) => model);
  const added = listAdded(before, after);
  expect(added).toContain(`p${persona}/s${session}#r1.${step}.t${turn}`);
  const role = step === 'user' ? 'user' : 'assistant';
  const ofRole = added.filter((key) => key.includes(`.${role}.`)).length;
  expect(asked.filter((model) => model === 'other')).toHaveLength(ofRole);
  expect(asked.filter((model) => model === 'stand-in')).toHaveLength(added.length - ofRole);
  expectUnchanged(before, after, persona);
  const row = after.provenance.find(({ persona_id: id }) => parsePersonaNumber(id) === persona);
  const both = 'openai-compatible:stand-in + openai-compatible:other';
  expect(row).toMatchObject({
    synthesis_model: 'openai-compatible:stand-in',
    user_model: role === 'user' ? both : 'openai-compatible:stand-in',
    assistant_model: role === 'assistant' ? both : 'openai-compatible:stand-in',
  });
}

async function growAndRetry() {
  const before = await stateOf(OTHER);
  standIn.simulate(FAILING);
  const grown = await synth(OTHER, '--n-personas', String(PERSONAS + 1));
  expect(grown.code).toBe(3);
  let ended = await retry(OTHER);
  for (let tries = 1; ended.code === 3 && tries < 4; tries += 1) ended = await retry(OTHER);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('15 instances, no failures.') });
  const after = await stateOf(OTHER);
  listAdded(before, after);
  const known = before.records.map(({ persona: { id } }) => id);
  expect(after.records.filter(({ persona: { id } }) => known.includes(id))).toEqual(before.records);
}

/** Returns a failed dialogue of which more than one turn was answered. */
function late(): LateFailure {
  const [first] = failedLate();
  if (first === undefined) throw new Error(`None of these failed late enough: ${JSON.stringify(failures)}`);
  return first;
}

type LateFailure = FailedWork & { session: number; turn: number };

/** Lists dialogues that failed after their second turn, each the only failure of its persona. */
function failedLate(): LateFailure[] {
  return failures.flatMap((work) => {
    const { persona, session, turn = 0 } = work;
    const alone = failures.filter((one) => one.persona === persona).length === 1;
    return alone && session !== undefined && turn > 2 ? [{ ...work, session, turn }] : [];
  });
}

async function synth(name: string, ...more: readonly string[]): Promise<Ended> {
  return runLoaded(synthOf(name, ...more));
}

function synthOf(name: string, ...more: readonly string[]): string[] {
  const personas = more.includes('--n-personas') ? [] : ['--n-personas', String(nPersonasOf(name))];
  const json = name === FAILED ? ['--json'] : [];
  const run = [
    `--output-dir=${inFolder(name)}`,
    `--model=${standIn.spec}`,
    `--settings=${inFolder('settings.json')}`,
    // No more than it takes for dialogues to fail early and late.
    '--n-sessions=9',
    '--max-turns=6',
  ];
  return ['synth', ...run, ...personas, ...json, ...more];
}

function nPersonasOf(name: string): number {
  return existsSync(join(inFolder(name), 'run.json'))
    ? readRunFile(inFolder(name)).settings.nPersonas
    : PERSONAS;
}

async function retry(name: string, ...more: readonly string[]): Promise<Ended> {
  return runLoaded(['retry', inFolder(name), '--trust', ...more]);
}

/** Expects a retry of the failed run to be rejected, and returns its message. */
async function refused(...options: readonly string[]): Promise<string> {
  const { code, stderr } = await retry(FAILED, ...options);
  expect(code).toBe(2);
  return stderr;
}

const resultSchema = z.object({ failures: z.array(failedWorkSchema) });

function resultOf({ stdout }: Ended): z.infer<typeof resultSchema> {
  return resultSchema.parse(JSON.parse(stdout));
}

interface State {
  readonly journal: Awaited<ReturnType<typeof readJournalSnapshot>>;
  /** How many requests the model's side got, of whichever run. */
  readonly received: number;
  readonly records: PersonaRecord[];
  readonly provenance: Provenance[];
  readonly instances: Instance[];
}

async function stateOf(name: string): Promise<State> {
  return {
    journal: await readJournalSnapshot(inFolder(name)),
    received: standIn.received.length,
    records: await readRecords(inFolder(name)),
    provenance: await readProvenance(inFolder(name)),
    instances: await readInstances(inFolder(name)),
  };
}

/** Expects all rows of all other personas unchanged. */
function expectUnchanged(before: State, after: State, ...personas: readonly number[]): void {
  const others = ({ records, provenance, instances }: State) => ({
    records: records.filter(({ persona }) => !personas.includes(persona.id)),
    provenance: provenance.filter((row) => !personas.includes(parsePersonaNumber(row.persona_id))),
    instances: instances.filter((row) => !personas.includes(parsePersonaNumber(row.persona_id))),
  });
  expect(others(after)).toEqual(others(before));
}

/**
 * Lists the keys of the calls between two states, without the run's id and the attempt: `p1/s3#r1.user.t4`. Expects a request for each, and
 * no earlier call made again.
 */
function listAdded(before: State, after: State): string[] {
  const added = [...after.journal.keys()].filter((key) => !before.journal.has(key));
  expect(added).toHaveLength(after.received - before.received);
  expect(listRepeated(before.journal, after.journal)).toEqual([]);
  return added.map(shorten);
}

function shorten(key: string): string {
  return key.replace(/^[^/#]*\/?/, '').replace(/\.a\d+$/, '');
}
