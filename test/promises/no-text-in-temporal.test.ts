import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '../../data/run/journal';
import { createFolderStore } from '../../data/store/store';
import { runLoaded } from '../end-to-end/loaded-command';
import { startStandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);

/** Some answers are bad and some are refused, so that answers are repaired, and work fails. */
const MODEL = 'simulated:default?malformed=0.1&refused=0.01';

/** Phrases that are long enough to occur in one answer only, without characters that JSON escapes. */
const PHRASE = /[A-Za-z][A-Za-z ,;]{38}[A-Za-z]/g;

/** Lists phrases of all answers in a run's journal, a few of each answer. */
async function listPhrases(run: string): Promise<{ readonly answers: number; readonly phrases: string[] }> {
  const journal = openJournal(createFolderStore(join(run, '.cupid')));
  let answers = 0;
  const phrases = new Set<string>();
  for (const workflow of await journal.workflows()) {
    for (const { answer } of await journal.ofWorkflow(workflow)) {
      answers += 1;
      for (const phrase of (answer.text.match(PHRASE) ?? []).slice(0, 5)) phrases.add(phrase);
    }
  }
  return { answers, phrases: [...phrases] };
}

/** Reads all of Temporal's data about a run: histories, search attributes, pending activities with their heartbeats and failures. */
async function readDatabase(run: string): Promise<Buffer> {
  const engine = join(run, '.cupid', 'engine');
  const names = (await readdir(engine)).filter((name) => name.includes('.db'));
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(engine, name)))));
}

async function expectNoText(run: string, leastAnswers: number): Promise<void> {
  const { answers, phrases } = await listPhrases(run);
  expect(answers).toBeGreaterThanOrEqual(leastAnswers);
  expect(phrases.length).toBeGreaterThan(leastAnswers);
  const database = await readDatabase(run);
  // The histories exist.
  expect(database.includes('makeCalls')).toBe(true);
  expect(phrases.filter((phrase) => database.includes(phrase))).toEqual([]);
}

test('Temporal stores no text of a model: of synthesis, evaluation, verification and batches', async () => {
  const [run, results, batched] = [inFolder('run'), inFolder('results'), inFolder('batched')];
  const model = ['--model', MODEL];
  const short = ['--n-personas', '3', '--n-sessions', '9', '--max-turns', '4'];
  await runLoaded(['synth', '--output-dir', run, ...model, ...short]);
  await expectNoText(run, 100);
  const data = join(run, 'CUPID-Unverified');
  await runLoaded(['verify', data, ...model, '--results-dir', inFolder('verification')]);
  await expectNoText(inFolder('verification'), 3);
  const evaluation = ['eval', '--data', data, ...model, '--evaluator', MODEL, '--limit', '3'];
  const full = ['--task', 'both', '--context', 'full', 'summary'];
  const studies = ['--errors', '2', '--judge-repeats', '2', '--stress', '1'];
  await runLoaded([...evaluation, ...full, ...studies, '--results-dir', results]);
  await expectNoText(results, 20);
  await runLoaded([...evaluation, '--results-dir', batched, '--batch']);
  await expectNoText(batched, 10);
});

test('nor what a provider quotes in its errors', async () => {
  await using standIn = await startStandIn();
  const quoted = 'as quoted from an answer of the model';
  const error = { message: `Invalid message, ${quoted}.` };
  // After the plan, in the dialogues.
  standIn.fault = (request) => (request > 12 ? { status: 400, error } : undefined);
  const run = inFolder('rejected');
  const ended = await runLoaded(
    ['synth', '--output-dir', run, '--model', standIn.spec, '--n-personas', '1'],
    {
      OPENAI_API_KEY: 'none',
    },
  );
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(quoted) });
  expect((await readDatabase(run)).includes(quoted)).toBe(false);
});
