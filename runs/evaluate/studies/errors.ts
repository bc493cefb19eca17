import type { EvaluationPlan } from '../../../data/run/evaluation-plan';
import { computeErrorShares, sampleLowF1 } from '../../../rules/analyses/errors';
import { isOpen, listCallsOf, type CallResult } from '../../../rules/method/evaluation-reader';
import type { AnswerValues } from '../../../rules/method/evaluation-rules';
import { getSpecNumber } from '../../../rules/method/evaluation-work';
import { listEvaluators } from '../../../rules/trials/cells';
import { formatResultName } from '../../../rules/trials/rows';
import type { ScoreRow } from '../../../schemas/evaluation/evaluation';
import type { ErrorResults } from '../../../schemas/evaluation/results/studies';
import { InputError } from '../../../schemas/input-error';
import { formatTrialKey, type LocatedRow } from '../located-rows';
import type { StoredEvaluation } from '../outcomes';
import type { EvaluationOptions } from '../options';
import { readStudyCalls } from './calls';
import { getAnswerKey } from './answer-key';
import type { Sample, Study, StudyBasis } from './study';

/** Kinds of errors in inferences with a low F1 (paper, table 2). */
export const ERRORS: Study<'errors', ErrorResults> = {
  tasks: ['inference'],
  evaluators: [],
  readsPersonas: false,
  buildRequest: (options, before) =>
    options.errors === undefined
      ? undefined
      : { count: options.errors, labeler: getLabeler(options, before) },
  draw: drawErrors,
  getRequest: ({ count, labeler }) => ({ count, labeler }),
  read: readErrors,
};

/** Returns the model that labels errors: the first evaluator of this command, else of the folder. */
function getLabeler({ evaluator }: EvaluationOptions, before: EvaluationPlan | undefined): string {
  const evaluators = (before?.inputs.cells ?? []).flatMap((cell) => {
    if (cell.task === 'inference' && cell.matcher.form === 'prefmatcher') return [cell.decomposer];
    return listEvaluators(cell).slice(-1);
  });
  const [first] = evaluator ?? evaluators;
  if (first === undefined) throw new InputError('--errors needs an evaluator. Name one with --evaluator.');
  return first;
}

function drawErrors(
  { evaluation, rows, cohorts }: StudyBasis,
  request: Pick<Sample<'errors'>, 'count' | 'labeler'>,
): Sample<'errors'> {
  const { evaluators, settings } = evaluation.inputs;
  const labeller = getSpecNumber(evaluators, request.labeler);
  const sample = sampleLowF1(rows, request.count, settings.seed, cohorts);
  // An inference that is low with several matchers is labeled once.
  const places = new Map(sample.map(({ place }) => [formatTrialKey(place.key), place]));
  const work = [...places.values()].map(({ key, inference }) => ({
    kind: 'error' as const,
    ...key,
    inference,
    labeller,
  }));
  return { ...request, sample: sample.map(formatRow), work };
}

async function readErrors(
  evaluation: StoredEvaluation,
  { labeler, sample: sampledRows, work }: Sample<'errors'>,
  rows: readonly LocatedRow[],
): Promise<ErrorResults | undefined> {
  const classified = new Map<string, CallResult<AnswerValues['classify']> | undefined>();
  for (const inference of work) {
    const calls = await readStudyCalls(evaluation, inference);
    if (calls.some(isOpen)) return undefined;
    classified.set(formatTrialKey(inference), listCallsOf(calls, 'classify')[0]?.result);
  }
  const name = formatResultName(evaluation.inputs.evaluators, labeler);
  const sampled = new Set(sampledRows);
  const labeledRows = rows
    // A row that has changed since the sample was drawn has another number.
    .filter((row) => sampled.has(formatRow(row)) && classified.has(formatTrialKey(row.place.key)))
    .map((row) => {
      const error = classified.get(formatTrialKey(row.place.key));
      return { row, value: error?.state === 'given' ? error.value : null };
    });
  return {
    error_types: computeErrorShares(
      labeledRows.map(({ row, value }) => ({ ...row, type: value?.type ?? null })),
    ),
    labeled_errors: labeledRows.map(({ row, value }) => ({
      ...getAnswerKey(row),
      evaluator: row.evaluator,
      evaluator_form: row.evaluator_form,
      decomposer: row.decomposer,
      labeler: name,
      type: value?.type ?? null,
      explanation: value?.explanation ?? null,
    })),
  };
}

/** Formats a key that distinguishes a row from every other. */
function formatRow(row: ScoreRow): string {
  const { persona_id, instance_type, task, model, context, evaluator, evaluator_form, decomposer } = row;
  return JSON.stringify([
    persona_id,
    instance_type,
    task,
    model,
    context,
    evaluator,
    evaluator_form,
    decomposer,
  ]);
}
