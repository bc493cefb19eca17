import type { EvaluationResults } from '../../../evaluations/results';
import { paperNumbers } from '../../../data/paper';
import { coefficient, percent, points, probability } from '../../text/numbers';
import { grouped } from '../../../rules/group-by';
import { matchedBy, section, type AnalysisTable } from './section';

type Comparison = EvaluationResults['analyses']['tasks'][number];

/** Figure 5; nothing where fewer than two models did both tasks. */
export function taskTables(
  comparisons: EvaluationResults['analyses']['tasks'],
  withPaper: boolean,
): string[] {
  const { tasks } = paperNumbers().correlations;
  const shown = comparisons.filter(({ models }) => models.length >= 2);
  return section(
    'Inference against generation (figure 5)',
    `Micro F1 (%) and mean score, and their correlation over models${withPaper ? ` (paper: r ${coefficient(tasks.r)}, p ${tasks.p})` : ''}.`,
    [...grouped(shown, evaluatorsLine)].map(([line, own]) => tableOf(line, own)),
  );
}

function evaluatorsLine({ matcher, matcher_form, decomposer, judge }: Comparison): string {
  return `${matchedBy({ evaluator: matcher, evaluator_form: matcher_form, decomposer })}; judged by ${judge}`;
}

/** Models beneath each other, contexts side by side. */
function tableOf(line: string, comparisons: readonly Comparison[]): AnalysisTable {
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
          const own = comparison.models.find((other) => other.model === model);
          return [percent(own?.f1), points(own?.average_score)];
        }),
      ]),
      ["Pearson's r", ...comparisons.flatMap(({ correlation }) => ['', coefficient(correlation.r)])],
      ['p', ...comparisons.flatMap(({ correlation }) => ['', probability(correlation.p)])],
    ],
  };
}
