import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { ChoiceComparison } from '../../schemas/evaluation/results/analyses';
import { computeCorrelation } from './correlation';
import { pairWithInference } from './tasks';

/** Compares each evaluation of inference with the choices in the same context. */
export function compareChoices(rows: readonly ScoreRow[]): ChoiceComparison[] {
  return pairWithInference(rows, 'choice').flatMap(({ inference, models: paired }) => {
    const { context, evaluator, evaluator_form, decomposer } = inference;
    const models = paired.flatMap(
      ({ model, inference: { f1, n_instances: n_inference_instances }, choice }) => {
        const {
          accuracy = null,
          paired_accuracy = null,
          n_instances: n_choice_instances = 0,
          n_pairs = 0,
        } = choice ?? {};
        return f1 === null || accuracy === null || paired_accuracy === null
          ? []
          : [{ model, f1, n_inference_instances, accuracy, n_choice_instances, paired_accuracy, n_pairs }];
      },
    );
    if (models.length === 0) return [];
    const points = models.map(({ f1, paired_accuracy }) => ({ x: f1, y: paired_accuracy }));
    const correlation = computeCorrelation(points);
    return [{ context, evaluator, evaluator_form, decomposer, models, correlation }];
  });
}
