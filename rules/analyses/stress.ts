import { mean } from 'simple-statistics';
import type { EvaluatorName } from '../../schemas/evaluation/results/keys';
import type {
  EvaluatorErrors,
  StressAnalysis,
  StressKindResult,
  StressValue,
} from '../../schemas/evaluation/results/studies';
import type { MatchLabel } from '../../schemas/matching/match-label';
import { JUDGED_KINDS, MATCHED_KINDS, type StressKind } from '../../schemas/evaluation/stress';
import { groupBy } from '../group-by';
import { sumLabels } from '../scores/instance-scores';
import { computeShare } from '../statistics/share';

/**
 * Lowest value of an accepted answer. Both are the upper half of their scale, so an accepted answer is nearer to right than to wrong. A matcher's
 * recall goes from 0 to 1: it credits at least half of the true checklist. A judge's score goes from 1 (very poor) to 10 (completely perfect;
 * paper, figure 16).
 */
export const LEAST_ACCEPTED = { recall: 0.5, score: 6 } as const;

/** Returns the share of the true checklist that a matcher credits to a preference; null without labels. */
export function computeRecall(labels: readonly MatchLabel[] | null): number | null {
  return labels === null || labels.length === 0 ? null : sumLabels(labels) / labels.length;
}

/** Computes the errors of each of these matchers and judges, also of one that was tested on nothing. */
export function computeStress(
  tested: readonly EvaluatorName[],
  values: readonly StressValue[],
  personas: { readonly requested: number; readonly sampled: number },
): StressAnalysis {
  const byEvaluator = groupBy(values, getEvaluatorKey);
  const evaluators = tested.map(({ evaluator, evaluator_form }) => {
    const evaluatorValues = byEvaluator.get(getEvaluatorKey({ evaluator, evaluator_form })) ?? [];
    const byKind = groupBy(evaluatorValues, ({ kind }) => kind);
    const kinds = evaluator_form === 'judge' ? JUDGED_KINDS : MATCHED_KINDS;
    return {
      evaluator,
      evaluator_form,
      ...computeErrors(evaluatorValues),
      kinds: kinds.map((kind) => computeKind(kind, byKind.get(kind) ?? [], personas.sampled)),
    };
  });
  return { n_requested: personas.requested, n_personas: personas.sampled, evaluators };
}

/** Returns the errors of the evaluator of some results, for these results; empty if it was not tested. */
export function findErrors(
  stress: StressAnalysis | undefined,
  results: EvaluatorName,
): { readonly evaluator_errors?: EvaluatorErrors } {
  const key = getEvaluatorKey(results);
  const tested = stress?.evaluators.find((candidate) => getEvaluatorKey(candidate) === key);
  if (tested === undefined) return {};
  const { false_acceptance_rate, false_rejection_rate } = tested;
  return { evaluator_errors: { false_acceptance_rate, false_rejection_rate } };
}

function getEvaluatorKey({ evaluator, evaluator_form }: EvaluatorName): string {
  return JSON.stringify([evaluator, evaluator_form]);
}

function computeErrors(values: readonly StressValue[]): EvaluatorErrors {
  const usable = values.filter(({ value }) => value !== null);
  return {
    false_acceptance_rate: computeShare(
      usable.filter(({ kind }) => kind !== 'true'),
      isAccepted,
    ),
    false_rejection_rate: computeShare(
      usable.filter(({ kind }) => kind === 'true'),
      (stressValue) => !isAccepted(stressValue),
    ),
  };
}

function computeKind(
  kind: StressKind,
  kindValues: readonly StressValue[],
  sampled: number,
): StressKindResult {
  const usable = kindValues.filter(({ value }) => value !== null);
  const values = usable.flatMap(({ value }) => value ?? []);
  return {
    kind,
    n_answers: values.length,
    n_missing: kindValues.length - values.length,
    n_lacking: sampled - kindValues.length,
    acceptance_rate: computeShare(usable, isAccepted),
    mean: values.length === 0 ? null : mean(values),
  };
}

function isAccepted({ evaluator_form, value }: StressValue): boolean {
  const minimum = evaluator_form === 'judge' ? LEAST_ACCEPTED.score : LEAST_ACCEPTED.recall;
  return value !== null && value >= minimum;
}
