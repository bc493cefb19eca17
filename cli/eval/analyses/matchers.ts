import type { EvaluationResults } from '../../../evaluations/results';
import { paperNumbers } from '../../../data/paper';
import { coefficient, NOTHING, percent, probability } from '../../text/numbers';
import { grouped } from '../../../rules/group-by';
import { matcherText, section, type AnalysisTable } from './section';

type Comparison = EvaluationResults['analyses']['matchers'][number];

/** Figure 4 and table 11. */
export function matcherTables(
  comparisons: EvaluationResults['analyses']['matchers'],
  withPaper: boolean,
): string[] {
  const { matchers } = paperNumbers().correlations;
  const shown = comparisons.filter(({ models }) => models.length > 0);
  return section(
    'Matchers against each other (figure 4, table 11)',
    `Micro F1 (%), its correlation${withPaper ? ` (paper: r ${coefficient(matchers.r)}, p ${matchers.p})` : ''}, and Krippendorff's alpha over entries.`,
    [...grouped(shown, (comparison) => whoLines(comparison).join('\n'))].map(([, own]) => tableOf(own)),
  );
}

function whoLines({ first, second, decomposer }: Comparison): string[] {
  return [
    `(1) ${matcherText(first)}`,
    `(2) ${matcherText(second)}`,
    ...(decomposer === null ? [] : [`decomposed by ${decomposer}`]),
  ];
}

/** Models beneath each other, contexts side by side. */
function tableOf(comparisons: readonly Comparison[]): AnalysisTable {
  const [first] = comparisons;
  const models = new Set(comparisons.flatMap((comparison) => comparison.models.map(({ model }) => model)));
  const beneathContexts = (name: string, textOf: (comparison: Comparison) => string) => [
    name,
    ...comparisons.flatMap((comparison) => ['', '', textOf(comparison)]),
  ];
  return {
    above: first === undefined ? [] : whoLines(first),
    columns: [
      { title: '' },
      ...comparisons.flatMap(({ context }) =>
        ['n', 'F1 (1)', 'F1 (2)'].map((title) => ({ title, group: context })),
      ),
    ],
    rows: [
      ...[...models].map((model) => [
        model,
        ...comparisons.flatMap((comparison) => {
          const own = comparison.models.find((other) => other.model === model);
          return [
            own === undefined ? NOTHING : `${own.n_instances}`,
            percent(own?.first_f1),
            percent(own?.second_f1),
          ];
        }),
      ]),
      beneathContexts("Pearson's r", ({ correlation }) => coefficient(correlation.r)),
      beneathContexts('p', ({ correlation }) => probability(correlation.p)),
      beneathContexts('entries', ({ agreement }) => `${agreement.n_entries}`),
      beneathContexts('alpha, nominal', ({ agreement }) => coefficient(agreement.nominal)),
      beneathContexts('alpha, ordinal', ({ agreement }) => coefficient(agreement.ordinal)),
    ],
  };
}
