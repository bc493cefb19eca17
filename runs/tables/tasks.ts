import type { TaskComparison } from '../../schemas/evaluation/results/analyses';
import { readPaperNumbers } from '../../data/paper';
import { formatCoefficient } from '../../schemas/text/numbers';
import { type Table, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { toCount } from './result-cell';
import { formatMatchers, buildSections, omitEqualCounts, type Section } from './section';

/** Builds figure 5. Omits settings in which fewer than two models did both tasks. */
export function buildTaskSections(comparisons: readonly TaskComparison[], withPaper: boolean): Section[] {
  const { tasks } = readPaperNumbers().correlations;
  const shownComparisons = comparisons.filter(({ models }) => models.length >= 2);
  return buildSections(
    'tasks',
    'Inference against generation (figure 5)',
    `Micro F1 (%) and mean score, and their correlation over models${withPaper ? ` (paper: r ${formatCoefficient(tasks.r)}, p ${tasks.p})` : ''}.`,
    [...groupBy(shownComparisons, formatEvaluators)].map(([line, lineComparisons]) =>
      buildTaskTable(line, lineComparisons),
    ),
  );
}

function formatEvaluators({ matcher, matcher_form, decomposer, judge }: TaskComparison): string {
  return `${formatMatchers({ evaluator: matcher, evaluator_form: matcher_form, decomposer })}; judged by ${judge}`;
}

/** Builds a row for each model, with the contexts side by side. */
function buildTaskTable(title: string, comparisons: readonly TaskComparison[]): Table {
  const models = new Set(comparisons.flatMap((comparison) => comparison.models.map(({ model }) => model)));
  return omitEqualCounts({
    title,
    columns: comparisons.flatMap(({ context }) =>
      ['F1', 'score'].map((name) => ({ title: name, group: context })),
    ),
    rows: [
      ...[...models].map((model) => ({
        name: model,
        cells: comparisons.flatMap((comparison) => {
          const modelNumbers = comparison.models.find((candidate) => candidate.model === model);
          return [
            toQuantity(modelNumbers?.f1, 'percent', toCount(modelNumbers?.n_inference_instances)),
            toQuantity(modelNumbers?.average_score, 'score', toCount(modelNumbers?.n_generation_instances)),
          ];
        }),
      })),
      {
        name: "Pearson's r",
        cells: comparisons.flatMap(({ correlation }) => ['', toQuantity(correlation.r, 'coefficient')]),
      },
      {
        name: 'p',
        cells: comparisons.flatMap(({ correlation }) => ['', toQuantity(correlation.p, 'probability')]),
      },
    ],
  });
}
