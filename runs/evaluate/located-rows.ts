import type { RowAnswer } from '../../rules/analyses/shared-names';
import { listCallsOf, type FoundCall } from '../../rules/method/evaluation-reader';
import { getScoreRow } from '../../rules/trials/rows';
import { getSpecNumber } from '../../rules/method/evaluation-work';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { readTrialRows, type StoredEvaluation, type TrialRows } from './outcomes';

/** Positions of a row's calls. */
interface RowPlace {
  readonly key: { readonly instance: number; readonly model: number; readonly context: ScoreRow['context'] };
  readonly inference: string;
  readonly response: string;
  readonly judge: number;
}

/** A row's numbers, with the positions of its calls and the models that answered them. */
export type LocatedRow = ScoreRow & { readonly place: RowPlace; readonly answers: readonly RowAnswer[] };

/** Builds one of a trial's rows for studies. */
export function buildLocatedRow(
  evaluation: StoredEvaluation,
  trial: TrialRows,
  { cell, calls, row }: TrialRows['results'][number],
): LocatedRow {
  const { instance, model, context } = trial.trial;
  const place = {
    key: { instance, model, context },
    inference: getRef(listCallsOf(calls, 'infer')),
    response: getRef(listCallsOf(calls, 'respond')),
    judge: cell.task === 'generation' ? getSpecNumber(evaluation.inputs.evaluators, cell.judge) : 0,
  };
  return { ...getScoreRow(row), place, answers: listRowAnswers(calls) };
}

/** Lists the answers of models; a memory system is none. */
function listRowAnswers(calls: readonly FoundCall[]): RowAnswer[] {
  return calls.flatMap(({ step, result }) =>
    step !== 'recall' && result.state === 'given' ? [{ step, model: result.model }] : [],
  );
}

/** Reads the numbers of every trial, in order. */
export async function readLocatedRows(evaluation: StoredEvaluation): Promise<LocatedRow[]> {
  const rows: LocatedRow[] = [];
  for await (const trial of readTrialRows(evaluation)) {
    rows.push(...trial.results.map((result) => buildLocatedRow(evaluation, trial, result)));
  }
  return rows;
}

/** Formats a key that distinguishes a trial from every other. */
export function formatTrialKey({ instance, model, context }: RowPlace['key']): string {
  return `${instance}/${model}/${context}`;
}

/** Formats a key that distinguishes a trial's judge from every other. */
export function formatJudgeKey(key: RowPlace['key'], judge: number): string {
  return `${formatTrialKey(key)} ${judge}`;
}

/** Returns the reference of the answer that was taken; empty if none was. */
function getRef([call]: readonly FoundCall[]): string {
  return call?.result.state === 'given' ? call.result.ref : '';
}
