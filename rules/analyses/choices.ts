import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { Setting } from '../scores/cells';
import { computeNumbers } from '../scores/numbers';
import { computeCorrelation, type Correlation } from './correlation';
import { groupRows } from './groups';

/** Inference against choice over the models that did both in one context: whether the judged number orders models as the exact one does. */
interface ChoiceComparison extends Omit<Setting, 'task'> {
  /** Micro F1, accuracy and paired accuracy, from 0 to 1. */
  models: { model: string; f1: number; accuracy: number; paired_accuracy: number }[];
  /** Correlation of F1 and paired accuracy over the models. */
  correlation: Correlation;
}

/** Compares each evaluation of inference with the choices in the same context. */
export function compareChoices(rows: readonly ScoreRow[]): ChoiceComparison[] {
  const choices = new Map(
    groupRows(
      rows.filter(({ task }) => task === 'choice'),
      ({ context, model }) => [context, model].join('\u0000'),
    ).map(({ name, rows: own }) => [name, computeNumbers(own)] as const),
  );
  const inferences = groupRows(
    rows.filter(({ task }) => task === 'inference'),
    ({ context, evaluator, evaluator_form, decomposer }) => ({
      context,
      evaluator,
      evaluator_form,
      decomposer,
    }),
  );
  return inferences.flatMap(({ name: setting, rows: own }) => {
    const models = groupRows(own, ({ model }) => model).flatMap(({ name: model, rows: ofModel }) => {
      const { f1 } = computeNumbers(ofModel);
      const { accuracy, paired_accuracy } =
        choices.get([setting.context, model].join('\u0000')) ?? NOT_CHOSEN;
      if (f1 === null || accuracy === null || paired_accuracy === null) return [];
      return [{ model, f1, accuracy, paired_accuracy }];
    });
    const points = models.map(({ f1, paired_accuracy }) => ({ x: f1, y: paired_accuracy }));
    return models.length === 0 ? [] : [{ ...setting, models, correlation: computeCorrelation(points) }];
  });
}

const NOT_CHOSEN = { accuracy: null, paired_accuracy: null };
