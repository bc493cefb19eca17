import { isOpen, listCallsOf } from '../../../rules/method/evaluation-reader';
import type { StudyWork } from '../../../schemas/evaluation/studies';
import { formatJudgeKey, type LocatedRow } from '../located-rows';
import type { StoredEvaluation } from '../outcomes';
import { readStudyCalls } from './calls';

/** Work of a study that judges a response again, or on another preference. */
type JudgementWork = Extract<StudyWork, { readonly judge: number }>;

/** A row with its response's scores from a study; null for a judgment without a usable one. */
interface StudyJudgements<Work> {
  readonly work: Work;
  readonly row: LocatedRow;
  readonly scores: readonly (number | null)[];
}

/**
 * Reads the scores that a study gave to responses; undefined while a call is open. Responses whose cell was left out since are skipped.
 * @param rows those of every trial
 */
export async function readJudgements<Work extends JudgementWork>(
  evaluation: StoredEvaluation,
  works: readonly Work[],
  rows: readonly LocatedRow[],
): Promise<StudyJudgements<Work>[] | undefined> {
  const byPlace = new Map(rows.map((row) => [formatJudgeKey(row.place.key, row.place.judge), row]));
  const judgements: StudyJudgements<Work>[] = [];
  for (const work of works) {
    const row = byPlace.get(formatJudgeKey(work, work.judge));
    if (row === undefined) continue;
    const calls = await readStudyCalls(evaluation, work);
    if (calls.some(isOpen)) return undefined;
    const scores = listCallsOf(calls, 'judge').map(({ result }) =>
      result.state === 'given' ? result.value.score : null,
    );
    judgements.push({ work, row, scores });
  }
  return judgements;
}
