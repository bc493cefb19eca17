import { computeMisapplication } from '../../rules/analyses/misapplication';
import { readOptions } from '../../rules/method/trial-subject';
import type { Studies } from '../../schemas/evaluation/evaluation-run';
import { readJudgements } from './judgements';
import type { LocatedRow } from './located-rows';
import type { StoredEvaluation } from './outcomes';

type Misapplications = NonNullable<Studies['misapplication']>;

/** Results of the study of misapplication. */
export interface MisapplicationResults {
  readonly misapplication: ReturnType<typeof computeMisapplication>;
  /** Number of scored responses to contrastive rows whose contrastive preference the data set does not show. */
  readonly misapplication_lacking: number;
}

/** Lists the responses to contrastive rows, each to be judged on the preference of the contrastive context as well. */
export async function listMisapplications(
  evaluation: StoredEvaluation,
  rows: readonly LocatedRow[],
): Promise<Misapplications> {
  const scored = rows.filter(
    ({ task, state, instance_type: type }) =>
      task === 'generation' && state === 'scored' && type === 'contrastive',
  );
  const work: Misapplications['work'] = [];
  for (const { place } of scored) {
    const options = await readOptions(evaluation, place.key.instance);
    if (!options.some(({ kind }) => kind === 'contrastive')) continue;
    work.push({ kind: 'misapplied', ...place.key, judge: place.judge, response: place.response });
  }
  return { lacking: scored.length - work.length, work };
}

/**
 * Reads the scores on preferences that do not apply; undefined while a call is open.
 * @param rows those of every trial
 */
export async function readMisapplications(
  evaluation: StoredEvaluation,
  { lacking, work }: Misapplications,
  rows: readonly LocatedRow[],
): Promise<MisapplicationResults | undefined> {
  const judged = await readJudgements(evaluation, work, rows);
  if (judged === undefined) return undefined;
  const misapplied = judged.map(({ row, scores: [score = null] }) => ({ ...row, misapplied: score }));
  return { misapplication: computeMisapplication(misapplied), misapplication_lacking: lacking };
}
