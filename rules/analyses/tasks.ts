import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { getSetting, type Setting } from '../scores/cells';
import { computeCorrelation, type Correlation } from './correlation';
import { groupRows, type Group } from './groups';
import { computeNumbers } from '../scores/numbers';

/** Inference against generation over the models that did both in one context (figure 5), for one matcher and one judge. */
interface TaskComparison {
  context: ScoreRow['context'];
  matcher: string;
  matcher_form: ScoreRow['evaluator_form'];
  decomposer: string | null;
  judge: string;
  /** Micro F1, from 0 to 1, and mean score, up to 10. */
  models: { model: string; f1: number; average_score: number }[];
  /** Correlation of F1 and score over the models. */
  correlation: Correlation;
}

/** Pairs each evaluation of inference with each judge of generation in the same context. */
export function compareTasks(rows: readonly ScoreRow[]): TaskComparison[] {
  const settings = groupRows(rows, getSetting);
  return settings
    .filter(({ name }) => name.task === 'inference')
    .flatMap((inference) =>
      settings
        .filter(({ name }) => name.task === 'generation' && name.context === inference.name.context)
        .map((generation) => compareGroups(inference, generation)),
    );
}

function compareGroups(inference: Group<Setting>, generation: Group<Setting>): TaskComparison {
  const scores = new Map(
    groupByModel(generation).map(({ name, rows }) => [name, computeNumbers(rows).average_score] as const),
  );
  const models = groupByModel(inference).flatMap(({ name, rows }) => {
    const { f1 } = computeNumbers(rows);
    const average_score = scores.get(name) ?? null;
    return f1 === null || average_score === null ? [] : [{ model: name, f1, average_score }];
  });
  return {
    context: inference.name.context,
    matcher: inference.name.evaluator,
    matcher_form: inference.name.evaluator_form,
    decomposer: inference.name.decomposer,
    judge: generation.name.evaluator,
    models,
    correlation: computeCorrelation(models.map(({ f1, average_score }) => ({ x: f1, y: average_score }))),
  };
}

function groupByModel({ rows }: Group<Setting>): Group<string>[] {
  return groupRows(rows, ({ model }) => model);
}
