import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { findSides, SIDES } from '../../models/simulated/preference';
import { instanceSchema, type Instance } from '../../schemas/dataset/instance';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import { verificationRowSchema, type VerificationRow } from '../../schemas/verification/verification';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { HubStandIn } from '../stand-in/hub-server';
import { createTemporaryFolder } from '../temporary-folder';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';
import { hashFiles, type Ended } from './command';
import { countJournalEntries, listRepeated, readJournalSnapshot } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand } from './processes';
import { writeInstances } from './results';
import { expectSurvival } from './survival';
import { readRows } from './tables';

const CONCURRENCY = 4;
const PERSONAS = 5;

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');
const UNDISTURBED = inFolder('undisturbed');

let standIn: StandIn;
let defects: Record<string, string>;
let undisturbed: Ended;

beforeAll(async () => {
  const clean = await synthesizeInstances(openSimulated(), PERSONAS);
  const damaged = injectDefects(clean);
  defects = damaged.defects;
  await writeParquet(DATA, INSTANCE_COLUMNS, damaged.instances);
  standIn = await startStandIn();
  undisturbed = await runLoaded(commandIn(UNDISTURBED));
});
afterEach(endLeftovers);
afterAll(() => standIn.goDown());

test('finds each defect in its instance, and nothing in the others', async () => {
  expect(undisturbed).toMatchObject({ code: 0, stdout: expect.stringContaining('Rejected: 4.') });
  const rows = await readVerdicts(UNDISTURBED);
  expect(rows).toHaveLength(3 * PERSONAS);
  const found = rows.flatMap((row) =>
    (['solvable', 'challenging', 'contrasting'] as const).flatMap((name) =>
      row[name] === 'no' ? [[formatName(row), name]] : [],
    ),
  );
  expect(Object.fromEntries(found)).toEqual(defects);
  expect(found).toHaveLength(Object.keys(defects).length);
  expect(rows.flatMap(({ unknown_causes: causes }) => causes)).toEqual([]);
  expect(rows.filter(({ accepted }) => !accepted)).toHaveLength(Object.keys(defects).length);
  // Each verdict has its evidence.
  const rowOf = (defect: string) => rows.find((row) => defects[formatName(row)] === defect);
  expect(rowOf('solvable')?.items).toContainEqual(
    expect.objectContaining({ role: 'current', rating: 'Not at all', quotations: [] }),
  );
  expect(rowOf('challenging')?.guess_labels).toContain('Fully Covered');
  expect(rowOf('contrasting')?.contradiction).toMatch(/satisfy both/u);
  for (const { items } of rows.filter(({ accepted }) => accepted)) {
    expect(items.every(({ rating, quotations }) => rating === 'Fully' && quotations.length > 0)).toBe(true);
  }
});

test('verifies a tenth of the personas twice, and reports the agreement of the model with itself', async () => {
  const rows = await readVerdicts(UNDISTURBED);
  const repeated = rows.filter((row) => row.solvable_again !== null);
  expect(new Set(repeated.map(({ persona_id }) => persona_id)).size).toBe(1);
  const summary: unknown = JSON.parse(await readFile(join(UNDISTURBED, 'verification.json'), 'utf8'));
  expect(summary).toMatchObject({ self_agreement: { n_personas: 1, share: 1 }, simulated: false });
  // Two of the injected defects make a request reveal something: all other items are covered by no request.
  const covered = rows.flatMap(({ guess_labels: labels }) => labels ?? []);
  const count = covered.filter((label) => label === 'Fully Covered').length;
  expect(count).toBeGreaterThan(0);
  const total = rows.flatMap(({ current_checklist: items }) => items).length;
  const partly = covered.filter((label) => label === 'Partially Covered').length;
  expect(summary).toMatchObject({
    request_recall: { share: (count + partly / 2) / total, matched: count + partly / 2, total },
  });
  expect(undisturbed.stdout).toContain('Agreement with itself: 100.0 %');
});

test('killed at any moment, continues without asking an answered call again, and ends with the same bytes', async () => {
  const results = inFolder('killed');
  standIn.latency = 300;
  const work = {
    folder: results,
    standIn,
    start: () => startCommand(commandIn(results)),
    calls: await countJournalEntries(UNDISTURBED),
    concurrency: CONCURRENCY,
    ended: { code: 0, stdout: undisturbed.stdout.replaceAll('undisturbed', 'killed') },
  };
  const files = { hash: hashVerification, hashes: await hashVerification(UNDISTURBED) };
  await expectSurvival({ ...work, ...files }, [['command', 'database'], 0]);
});

test('a larger sample asks only about the personas that are new', async () => {
  const results = inFolder('sampled');
  const before = standIn.received.length;
  const first = await runLoaded([...commandIn(results), '--sample=2']);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('of 2 personas of 5') });
  const known = await readJournalSnapshot(results);
  const all = await runLoaded(commandIn(results));
  expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining('Rejected: 4.') });
  const snapshot = await readJournalSnapshot(results);
  expect(listRepeated(known, snapshot)).toEqual([]);
  expect(standIn.received.length - before).toBe(snapshot.size);
  expect(await hashVerification(results)).toEqual(await hashVerification(UNDISTURBED));
  // A smaller one keeps the verdicts that are there.
  const smaller = await runLoaded([...commandIn(results), '--sample=2']);
  expect(smaller).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'Earlier commands verified 3 personas of these that this one did not choose.',
    ),
  });
  expect(standIn.received.length - before).toBe(snapshot.size);
  expect(await hashVerification(results)).toEqual(await hashVerification(UNDISTURBED));
});

test('a call that is never answered well leaves its verdicts unknown, until retry has it asked again', async () => {
  const results = inFolder('unusable');
  standIn.simulate({ fail: 'Find out for each pair whether' });
  const ended = await runLoaded([...commandIn(results), '--sample=1']);
  standIn.simulate({});
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stdout).toContain('Unknown: contrasting 2.');
  const failures = await runLoaded(['failures', results]);
  expect(failures.stdout).toContain('contradict · turn 1 · bad-answers');
  expect(failures.stdout).toContain('Use another model: cupid verify DATA');
  const retried = await runLoaded(['retry', results]);
  expect(retried).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Unknown') });
});

describe('the accepted instances', () => {
  test('are exported in the form of CUPID, with a card that says who verified them', async () => {
    const out = inFolder('accepted');
    const ended = await runLoaded(['export', DATA, `--verified=${UNDISTURBED}`, `--output-dir=${out}`]);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('accepted 11 of 15 instances') });
    const rows = await readVerdicts(UNDISTURBED);
    const exported = await readRows(instanceSchema, join(out, 'data', 'test-00000-of-00001.parquet'));
    expect(exported.map(formatName)).toEqual(rows.filter(({ accepted }) => accepted).map(formatName));
    const card = await readFile(join(out, 'README.md'), 'utf8');
    expect(card).toContain('- model-verified');
    expect(card).not.toContain('- simulated');
    expect(card).toContain('This data set has the 11 that it accepted');
    expect(card).toContain('Agreement of the model with itself: 100.0 %');
    // Instances that were left out on purpose are not missed.
    const validated = await runLoaded(['validate', out, '--json']);
    expect(validated.stdout).not.toContain('one-of-each-type');
  });

  test('are refused where the verification is of other data, or is not there', async () => {
    const other = inFolder('other.parquet');
    await writeInstances(other, 1);
    const out = inFolder('refused');
    const changed = await runLoaded(['export', other, `--verified=${UNDISTURBED}`, `--output-dir=${out}`]);
    expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining('verification of other data') });
    const none = await runLoaded(['export', DATA, `--verified=${folder}`, `--output-dir=${out}`]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cupid verify DATA --model SPEC'),
    });
  });

  test('of a run are found in its folder, keep their provenance, and are published where simulated ones are allowed', async () => {
    const run = inFolder('run');
    await runLoaded(['synth', `--output-dir=${run}`, '--model=simulated:default', '--n-personas=2']);
    const verified = await runLoaded(['verify', run, '--model=simulated:default', '--no-check']);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('Accepted: 6.') });
    const out = inFolder('accepted-run');
    const exported = await runLoaded(['export', run, '--verified', `--output-dir=${out}`]);
    expect(exported).toMatchObject({ code: 0 });
    expect(await readFile(join(out, 'provenance.parquet'))).toEqual(
      await readFile(join(run, 'provenance.parquet')),
    );
    const card = await readFile(join(out, 'README.md'), 'utf8');
    expect(card).toContain('**Simulated verification: the verifier answers by rule.');
    const all = inFolder('all-of-run');
    expect(await runLoaded(['export', run, `--output-dir=${all}`])).toMatchObject({ code: 0 });
    expect(await readFile(join(all, 'README.md'), 'utf8')).toContain('It accepted 6;');
    expect(await runLoaded(['validate', out])).toMatchObject({ code: 0 });
    const hub = await HubStandIn.start();
    try {
      const variables = { HF_ENDPOINT: hub.url, HF_TOKEN: '', XDG_CACHE_HOME: inFolder('cache') };
      const publish = ['publish', run, '--verified', '--repo=kim/cupid', '--dry-run'];
      const refused = await runLoaded(publish, variables);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('by a simulated model') });
      const allowed = await runLoaded([...publish, '--allow-simulated'], variables);
      expect(allowed).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('data/test-00000-of-00001.parquet'),
      });
    } finally {
      await hub.stop();
    }
  });
});

test('another verifier is refused, and data without a folder of their own need one', async () => {
  const verify = ['verify', DATA, '--no-check', '--model'];
  const other = await runLoaded([...verify, standIn.specOf('other'), `--results-dir=${UNDISTURBED}`]);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('--model:') });
  const nowhere = await runLoaded([...verify, 'simulated:default']);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--results-dir DIR') });
});

function commandIn(results: string): string[] {
  return [
    'verify',
    DATA,
    `--results-dir=${results}`,
    `--model=${standIn.specOf('verifier')}`,
    `--concurrency=${CONCURRENCY}`,
    '--no-check',
  ];
}

/** Puts one defect each into instances of four personas, and names the verdict that each must change. */
function injectDefects(clean: readonly Instance[]): {
  instances: Instance[];
  defects: Record<string, string>;
} {
  const damages: readonly [
    InstanceType,
    string,
    (instance: Instance, siblings: readonly Instance[]) => Instance,
  ][] = [
    ['consistent', 'solvable', silenceItem],
    ['contrastive', 'challenging', statePreference],
    ['changing', 'challenging', paraphrasePreference],
    ['contrastive', 'contrasting', reconcile],
  ];
  const found: Record<string, string> = {};
  const instances = clean.map((instance, at) => {
    const [type, verdict, damage] = damages[Math.floor(at / 3)] ?? [];
    if (damage === undefined || verdict === undefined || instance.instance_type !== type) return instance;
    found[formatName(instance)] = verdict;
    return damage(
      instance,
      clean.filter(({ persona_id }) => persona_id === instance.persona_id),
    );
  });
  return { instances, defects: found };
}

/** Removes the first item from all messages of the user. */
function silenceItem(instance: Instance): Instance {
  const [side] = findSides(instance.current_checklist[0] ?? '');
  const remarks = [...(side?.critiques ?? []), ...(side?.asks ?? []), ...(side?.praise ?? [])];
  expect(remarks).not.toEqual([]);
  return {
    ...instance,
    prior_interactions: instance.prior_interactions.map((session) => ({
      ...session,
      dialogue: session.dialogue.map(({ role, content }) => ({
        role,
        content: remarks.reduce((text, sentence) => text.replaceAll(sentence, 'Thanks.'), content),
      })),
    })),
  };
}

function statePreference(instance: Instance): Instance {
  const { current_request: request, current_contextual_preference: preference } = instance;
  return { ...instance, current_request: `${request} ${preference}` };
}

/** Makes the request ask for the first item in words that have nothing in common with it. */
function paraphrasePreference(instance: Instance): Instance {
  const [side] = findSides(instance.current_checklist[0] ?? '');
  const [ask] = side?.asks ?? [];
  if (ask === undefined) throw new Error('The item is not in the vocabulary.');
  return { ...instance, current_request: `${instance.current_request} ${ask}` };
}

/** Changes the contrastive factor's preference in its dialogues to one about something else than the current one. */
function reconcile(instance: Instance, siblings: readonly Instance[]): Instance {
  const types = new Set(findSides(instance.current_contextual_preference).map(({ type }) => type));
  const side = SIDES.find(({ type }) => !types.has(type));
  const partner = findPartner(instance, siblings);
  if (side === undefined) throw new Error('No side is left.');
  return {
    ...instance,
    prior_interactions: instance.prior_interactions.map((session) =>
      session.context_factor === partner
        ? {
            ...session,
            contextual_preference: `Answers must ${side.rules[0]}.`,
            dialogue: session.dialogue.map(({ role, content }, at) => ({
              role,
              content: role === 'user' && at > 0 ? `${content} ${side.praise[0] ?? ''}` : content,
            })),
          }
        : session,
    ),
  };
}

/** Finds the contrastive factor, which no other instance of the persona has. */
function findPartner(
  { current_context_factor: current, ...instance }: Instance,
  siblings: readonly Instance[],
) {
  const known = siblings
    .filter(({ instance_type: type }) => type !== 'contrastive')
    .flatMap(({ prior_interactions: sessions }) => sessions.map(({ context_factor: factor }) => factor));
  return instance.prior_interactions
    .map(({ context_factor: factor }) => factor)
    .find((factor) => factor !== current && !known.includes(factor));
}

function formatName({ persona_id, instance_type }: Pick<Instance, 'persona_id' | 'instance_type'>): string {
  return `${persona_id} ${instance_type}`;
}

async function readVerdicts(results: string): Promise<VerificationRow[]> {
  return readRows(verificationRowSchema, join(results, 'verification.parquet'));
}

async function hashVerification(results: string): Promise<Record<string, string>> {
  return hashFiles(results, ['verification.parquet', 'verification.json']);
}
