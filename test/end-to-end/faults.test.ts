import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { listRelevantSessions } from '../../rules/instances/split';
import type { Message } from '../../schemas/dataset/message';
import { failedWorkSchema, type FailedWork } from '../../schemas/run/outcome';
import type { PersonaRecord } from '../../schemas/dataset/record';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import type { Ended, Running } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries, readJournalSnapshot, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { parsePersonaNumber, readInstances, readProvenance, readRecords, readRunFile } from './outputs';
import { endLeftovers, startSynth, interrupt } from './processes';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);

// Short enough to be quick, long enough that some dialogues satisfy their user and some do not.
const TURNS = 6;

/** Four personas without any fault: what the faulty runs are held against. */
const CLEAN = 'clean';
let clean: PersonaRecord[];

beforeAll(async () => {
  expect(await synth(CLEAN, 'simulated:default')).toMatchObject({ code: 0 });
  clean = await readRecords(inFolder(CLEAN));
});
afterEach(endLeftovers);

test('every bad answer is counted, and asked again for', async () => {
  const name = 'malformed';
  const ended = await synth(name, 'simulated:default?malformed=0.05', '--max-turns', '2', '--json');
  expect(ended).toMatchObject({ code: 0 });
  const { calls } = resultSchema.parse(JSON.parse(ended.stdout));
  expect(calls?.badAnswers).toBeGreaterThan(0);
  // Each bad answer has led to one more ask of the same question, and to nothing else.
  expect(calls?.badAnswers).toBe(await countAskedAgain(name));
  expect(calls?.calls).toBe(await countJournalEntries(inFolder(name)));
  const provenance = await readProvenance(inFolder(name));
  expect(provenance).toHaveLength(3 * 4);
  const badByPersona = new Map(provenance.map((row) => [row.persona_id, row.bad_answers]));
  expect(sum([...badByPersona.values()])).toBeGreaterThan(0);
  expect(sum([...badByPersona.values()])).toBeLessThanOrEqual(calls?.badAnswers ?? 0);
});

describe('a persona for whom no answer is ever usable', () => {
  const name = 'one-fails';
  let ended: Ended;
  let cause: string;

  beforeAll(async () => {
    // Only the second persona's requests hold the name of its first factor, from its journey on.
    const factor = clean[1]?.context_factors[0]?.factor ?? '';
    ended = await synth(name, `simulated:default?fail=${encodeURIComponent(factor)}`);
    cause = failuresIn(name).flatMap(({ work }) => work)[0]?.cause ?? '';
  });

  test('fails by name, and the others are what they are without it (exit 3)', async () => {
    expect(ended.code).toBe(3);
    expect(await readRecords(inFolder(name))).toEqual(withoutSecond(clean));
    expect(await readInstances(inFolder(name))).toEqual(withoutSecond(await readInstances(inFolder(CLEAN))));
    expect((await readProvenance(inFolder(name))).map((row) => parsePersonaNumber(row.persona_id))).toEqual([
      1, 1, 1, 3, 3, 3, 4, 4, 4,
    ]);
  });

  test('is reported with its step and the cause, on the terminal and in failures/', () => {
    expect(failuresIn(name)).toMatchObject([
      { file: '0000002.json', work: [{ persona: 2, step: 'journey', turn: 0, kind: 'bad-answers' }] },
    ]);
    // Five asks of one sample and five of another, each with its reason.
    expect(failuresIn(name)[0]?.work[0]?.reasons).toHaveLength(10);
    expect(cause).toContain('No usable answer after 10 attempts; the last was: ');
    expect(ended.stdout).toContain('3 personas, 9 instances, 1 persona failed.');
    expect(ended.stdout).toContain(`Failed: persona 2, step journey (bad-answers): ${cause}`);
    expect(ended.stdout).toMatch(/^Retry: cupid retry /m);
  });

  test('is reported again, as JSON too, by the same command, which changes nothing (exit 3)', async () => {
    const entries = await countJournalEntries(inFolder(name));
    const again = await synth(name, readRunFile(inFolder(name)).settings.models.synthesis, '--json');
    expect(again.code).toBe(3);
    expect(resultSchema.parse(JSON.parse(again.stdout))).toMatchObject({
      counts: { personas: 3, failedPersonas: 1, instances: 9 },
      failures: [{ persona: 2, step: 'journey', kind: 'bad-answers', cause }],
    });
    expect(await countJournalEntries(inFolder(name))).toBe(entries);
  });
});

test('refused content is not asked for again, and fails its persona by name (exit 3)', async () => {
  const ended = await synth(
    'refused',
    'simulated:default',
    '--n-personas=1',
    '--assistant-model=simulated:default?refused=1',
    '--json',
  );
  expect(ended.code).toBe(3);
  const { failures, counts } = resultSchema.parse(JSON.parse(ended.stdout));
  expect(counts).toMatchObject({ personas: 0, failedPersonas: 1, instances: 0 });
  // Every dialogue of it, at its first turn.
  expect(failures.map(({ session }) => session)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  for (const failure of failures) {
    expect(failure).toMatchObject({ persona: 1, step: 'assistant', turn: 1, kind: 'refused' });
    expect(failure.cause).toContain('simulated:default refused to answer the user of a dialogue (attempt 1)');
  }
  expect(failuresIn('refused').map(({ work }) => work)).toEqual([failures]);
  expect(await countAskedAgain('refused')).toBe(0);
  expect(await readInstances(inFolder('refused'))).toEqual([]);
});

describe('dialogues that never satisfy their user', () => {
  test('are kept as they are, marked unsatisfied, and used up their turns', async () => {
    expect(unsatisfied()).not.toEqual([]);
    expect(clean.map(({ persona_id }) => parsePersonaNumber(persona_id))).toEqual([1, 2, 3, 4]);
    for (const { interactions } of clean) {
      for (const { chat, is_satisfied: satisfied } of interactions) {
        expectWholeDialogue(chat);
        // The last answer of an unsatisfied one is not judged anymore.
        expect(chat.at(-1)?.role).toBe(satisfied ? 'user' : 'assistant');
        if (!satisfied) expect(chat).toHaveLength(2 * TURNS);
      }
    }
    const marked = (await readProvenance(inFolder(CLEAN))).filter(
      (row) => row.unsatisfied_sessions.length > 0,
    );
    expect(marked.map((row) => row.persona_id)).not.toEqual([]);
    for (const { persona_id } of marked) expect(unsatisfied()).toContain(persona_id);
  });

  test('leave their personas out with --require-satisfied, and only those', async () => {
    const ended = await synth('satisfied', 'simulated:default', '--require-satisfied');
    const left = clean.filter(({ persona_id }) => !unsatisfied().includes(persona_id));
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^${unsatisfied().length} personas? (was|were) left out, because the user was never satisfied`,
          'm',
        ),
      ),
    });
    expect(await readRecords(inFolder('satisfied'))).toEqual(left);
    const ids = left.map(({ persona_id }) => persona_id);
    const instances = (await readInstances(inFolder(CLEAN))).filter((row) => ids.includes(row.persona_id));
    expect(await readInstances(inFolder('satisfied'))).toEqual(instances);
  });

  test('leave out only those whose instances test such a preference with --require-satisfied relevant', async () => {
    expect(await synth('relevant', 'simulated:default', '--require-satisfied', 'relevant')).toMatchObject({
      code: 0,
    });
    expect(await readRecords(inFolder('relevant'))).toEqual(clean.filter((record) => !isAffected(record)));
  });
});

describe('a run that grows', () => {
  const short = ['--n-sessions', '9', '--max-turns', '3'];
  // In this process, so that no run comes to its end while this waits for its turn to stop it.
  let standIn: StandIn;

  beforeAll(async () => {
    standIn = await startStandIn();
  });
  afterAll(() => standIn.goDown());

  test('keeps the rows it had, and no answer is asked for again', async () => {
    expect(await synth('grown', standIn.spec, '--n-personas', '2', ...short)).toMatchObject({ code: 0 });
    const before = {
      records: await readRecords(inFolder('grown')),
      instances: await readInstances(inFolder('grown')),
    };
    const entries = await countJournalEntries(inFolder('grown'));
    const ended = await synth('grown', standIn.spec, '--n-personas', '4', ...short, '--json');
    expect(ended.code).toBe(0);
    const { counts, calls } = resultSchema.parse(JSON.parse(ended.stdout));
    expect(counts).toMatchObject({ personas: 4, failedPersonas: 0, instances: 12 });
    expect(calls).toMatchObject({
      calls: await countJournalEntries(inFolder('grown')),
      earlierCalls: entries,
    });
    const after = {
      records: await readRecords(inFolder('grown')),
      instances: await readInstances(inFolder('grown')),
    };
    expect(after.records.map(({ persona_id }) => parsePersonaNumber(persona_id))).toEqual([1, 2, 3, 4]);
    expect(after.records.slice(0, 2)).toEqual(before.records);
    expect(after.instances.slice(0, 6)).toEqual(before.instances);
    expect(new Set(after.records.map(({ persona }) => persona.seed)).size).toBe(4);
  });

  test('continues when it was stopped between planning to grow and beginning to', async () => {
    const name = 'planned';
    cpSync(inFolder('grown'), inFolder(name), { recursive: true });
    // The larger plan is kept, and run.json still reports two finished personas.
    const grown = readRunFile(inFolder(name));
    const small = { ...grown, growth: [2], settings: { ...grown.settings, nPersonas: 2 } };
    writeFileSync(join(inFolder(name), 'run.json'), JSON.stringify(small));
    expect(await synth(name, standIn.spec, '--n-personas', '4', ...short)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4 personas, 12 instances, no failures.'),
    });
    expect(readRunFile(inFolder(name))).toEqual(grown);
  });

  test('may have been interrupted before, and again while it grew', async () => {
    const { spec } = standIn;
    standIn.latency = 100;
    await interrupted('stopped', 30, spec, '--n-personas', '2', ...short);
    await interrupted('stopped', 30, spec, '--n-personas', '4', ...short);
    standIn.latency = 0;
    const entries = await countJournalEntries(inFolder('stopped'));
    const ended = await synth('stopped', spec, '--n-personas', '4', ...short, '--json');
    expect(ended.code).toBe(0);
    const { counts, calls } = resultSchema.parse(JSON.parse(ended.stdout));
    expect(counts).toMatchObject({ personas: 4, failedPersonas: 0, instances: 12 });
    expect(calls).toMatchObject({
      calls: await countJournalEntries(inFolder('stopped')),
      earlierCalls: entries,
    });
    // The same two personas and the same two more as when nobody stops it.
    expect(await readRecords(inFolder('stopped'))).toEqual(await readRecords(inFolder('grown')));
  });
});

const resultSchema = z.object({
  run: z.string(),
  counts: z.object({
    personas: z.number(),
    failedPersonas: z.number(),
    excludedPersonas: z.number(),
    instances: z.number(),
    unsatisfiedDialogues: z.number(),
  }),
  failures: z.array(failedWorkSchema),
  calls: z.object({ calls: z.number(), earlierCalls: z.number(), badAnswers: z.number() }).optional(),
});

function start(name: string, spec: string, more: readonly string[]): Running {
  return startSynth(inFolder(name), '--model', spec, ...turns(more), ...more);
}

async function synth(name: string, spec: string, ...more: readonly string[]): Promise<Ended> {
  return runLoaded(['synth', '--output-dir', inFolder(name), '--model', spec, ...turns(more), ...more]);
}

function turns(more: readonly string[]): string[] {
  return more.includes('--max-turns') ? [] : ['--max-turns', String(TURNS)];
}

/** Begins or continues a run, and stops it with Ctrl-C once it has asked that many more calls. */
async function interrupted(
  name: string,
  calls: number,
  spec: string,
  ...more: readonly string[]
): Promise<void> {
  const entries = await countJournalEntries(inFolder(name));
  const running = start(name, spec, more);
  await untilJournalHas(inFolder(name), entries + calls, running);
  await interrupt(running);
}

function failuresIn(name: string): { file: string; work: FailedWork[] }[] {
  const failures = join(inFolder(name), 'failures');
  const notes = readdirSync(failures).filter((file) => !file.endsWith('.bundle.json'));
  return notes.map((file) => ({
    file,
    work: z.array(failedWorkSchema).parse(JSON.parse(readFileSync(join(failures, file), 'utf8'))),
  }));
}

/** Counts the journal entries of repeated questions. */
async function countAskedAgain(name: string): Promise<number> {
  const keys = [...(await readJournalSnapshot(inFolder(name))).keys()];
  return keys.filter((key) => !key.endsWith('.a0')).length;
}

/** Alternates, beginning with the user, and says something every time. */
function expectWholeDialogue(messages: readonly Message[]): void {
  expect(messages.length).toBeGreaterThanOrEqual(2);
  expect(messages.map(({ role }) => role)).toEqual(
    messages.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
  );
  expect(messages.filter(({ content }) => (content ?? '').trim() === '')).toEqual([]);
}

/** Lists the personas of the clean run with a dialogue that never satisfied its user. */
function unsatisfied(): string[] {
  const found = clean.filter(({ interactions }) => interactions.some((one) => !one.is_satisfied));
  return found.map(({ persona_id }) => persona_id);
}

function withoutSecond<Row extends { readonly persona_id: string }>(rows: readonly Row[]): Row[] {
  return rows.filter((row) => parsePersonaNumber(row.persona_id) !== 2);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns whether a dialogue about a tested preference left its user unsatisfied. */
function isAffected(record: PersonaRecord): boolean {
  const relevant = listRelevantSessions(record);
  return record.interactions.some((one) => !one.is_satisfied && relevant.includes(one.session_id));
}
