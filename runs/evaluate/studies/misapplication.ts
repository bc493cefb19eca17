import { computeMisapplication } from '../../../rules/analyses/misapplication';
import { readOptions } from '../../../rules/method/trial-subject';
import type { MisapplicationResults } from '../../../schemas/evaluation/results/studies';
import { readJudgements } from './judgements';
import type { LocatedRow } from '../located-rows';
import type { StoredEvaluation } from '../outcomes';
import type { Sample, Study, StudyBasis } from './study';

/** Responses that follow a preference of another context. */
export const MISAPPLICATION: Study<'misapplication', MisapplicationResults> = {
  tasks: ['generation'],
  evaluators: ['generation'],
  readsPersonas: true,
  buildRequest: ({ misapplication }) => misapplication,
  draw: listMisapplications,
  getRequest: () => true,
  read: readMisapplications,
};

/** Lists the responses to contrastive rows, each to be judged on the preference of the contrastive context as well. */
async function listMisapplications({ evaluation, rows }: StudyBasis): Promise<Sample<'misapplication'>> {
  const scored = rows.filter(
    ({ task, state, instance_type: type }) =>
      task === 'generation' && state === 'scored' && type === 'contrastive',
  );
  const work: Sample<'misapplication'>['work'] = [];
  for (const { place } of scored) {
    const options = await readOptions(evaluation, place.key.instance);
    if (!options.some(({ kind }) => kind === 'contrastive')) continue;
    work.push({ kind: 'misapplied', ...place.key, judge: place.judge, response: place.response });
  }
  return { missingContrasts: scored.length - work.length, work };
}

/** Reads the scores on preferences that do not apply. */
async function readMisapplications(
  evaluation: StoredEvaluation,
  { missingContrasts, work }: Sample<'misapplication'>,
  rows: readonly LocatedRow[],
): Promise<MisapplicationResults | undefined> {
  const judgements = await readJudgements(evaluation, work, rows);
  if (judgements === undefined) return undefined;
  const misapplied = judgements.map(({ row, scores: [score = null] }) => ({ ...row, misapplied: score }));
  return { misapplication: computeMisapplication(misapplied), missing_contrasts: missingContrasts };
}
