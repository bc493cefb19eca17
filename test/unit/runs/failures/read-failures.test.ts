import path from 'node:path';
import { readFailures, type Failure } from '../../../../runs/failures/read-failures';
import { writeFailedPersona } from '../../../../data/run/artifacts';
import { writePlan } from '../../../../data/run/inputs';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import type { FailedWork } from '../../../../schemas/run/outcome';
import { buildJournalEntry } from '../../../journal-entry';
import { planSmallRun } from '../../../planned-run';
import { createTemporaryFolder } from '../../../temporary-folder';

const MODELS = { synthesis: 'openai:gpt-4o-2024-11-20', user: 'simulated:u', assistant: 'simulated:a' };
const FAILURE = { persona: 1, kind: 'bad-answers', cause: 'No usable answer.', reasons: [] };

test('a failed call has as many attempts as reasons, and costs what its work does', async () => {
  const [failure] = await failuresOf({
    work: { ...FAILURE, session: 3, step: 'user', turn: 2, revision: 1, reasons: ['No score.'] },
    calls: ['p1/s3#r0.user.t1.a0', 'p1/s3#r0.user.t2.a0', 'p1/s3#r1.user.t2.a0'],
  });
  expect(failure).toMatchObject({ attempts: 1, calls: 3 });
});

test('a terminated persona costs what its dialogues cost, too', async () => {
  const calls = [
    'p1#r0.factors.t0.a0',
    'p1/s1#r0.user.t1.a0',
    'p1/s12#r0.user.t1.a0',
    'p11/s1#r0.user.t1.a0',
  ];
  const [failure] = await failuresOf({ work: { ...FAILURE, kind: 'unexpected' }, calls });
  expect(failure).toMatchObject({ attempts: 0, calls: 3, tokens: { input: 3000, output: 300 } });
  const [alone] = await failuresOf({ work: { ...FAILURE, kind: 'unexpected' }, calls: calls.slice(0, 1) });
  expect(failure?.cost.usd).toBeCloseTo(3 * (alone?.cost.usd ?? 0));
});

/** Reads the failures of a run in which these calls were answered; keys are given without the run's id. */
async function failuresOf({
  work,
  calls,
}: {
  readonly work: Omit<FailedWork, 'workflowId'>;
  readonly calls: readonly string[];
}): Promise<readonly Failure[]> {
  const store = createFolderStore(path.join(folder, String((runs += 1)), '.cupid'));
  const plan = await planSmallRun({ models: MODELS, nPersonas: 20 });
  await writePlan(store, plan);
  const place = work.session === undefined ? `p${work.persona}` : `p${work.persona}/s${work.session}`;
  await writeFailedPersona(store, work.persona, [{ ...work, workflowId: `${plan.inputs.id}/${place}` }]);
  const journal = openJournal(store);
  for (const call of calls) {
    const entry = buildJournalEntry(`${plan.inputs.id}/${call}`, { usage: { input: 1000, output: 100 } });
    await journal.append({ ...entry, spec: MODELS.synthesis });
  }
  return (await readFailures(path.join(folder, String(runs)))).failures;
}

const folder = createTemporaryFolder();
let runs = 0;
