import type { TaskComparison } from '../../../schemas/evaluation/results/analyses';
import { readPaperNumbers } from '../../../data/paper';
import {
  formatCoefficient,
  formatPercent,
  formatScore,
  formatProbability,
} from '../../../schemas/text/numbers';
import { groupBy } from '../../../rules/group-by';
import { formatMatchers, buildSections, type ReportTable, type Section } from './section';

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
function buildTaskTable(line: string, comparisons: readonly TaskComparison[]): ReportTable {
  const models = new Set(comparisons.flatMap((comparison) => comparison.models.map(({ model }) => model)));
  return {
    above: [line],
    columns: [
      { title: '' },
      ...comparisons.flatMap(({ context }) => ['F1', 'score'].map((title) => ({ title, group: context }))),
    ],
    rows: [
      ...[...models].map((model) => [
        model,
        ...comparisons.flatMap((comparison) => {
          const modelNumbers = comparison.models.find((candidate) => candidate.model === model);
          return [formatPercent(modelNumbers?.f1), formatScore(modelNumbers?.average_score)];
        }),
      ]),
      ["Pearson's r", ...comparisons.flatMap(({ correlation }) => ['', formatCoefficient(correlation.r)])],
      ['p', ...comparisons.flatMap(({ correlation }) => ['', formatProbability(correlation.p)])],
    ],
  };
}
