import type { MatcherComparison } from '../../../schemas/evaluation/results/analyses';
import type { StudyResults } from '../../../schemas/evaluation/results/studies';
import { readPaperNumbers } from '../../../data/paper';
import { formatCoefficient, NOTHING, formatPercent, formatProbability } from '../../../schemas/text/numbers';
import { groupBy } from '../../../rules/group-by';
import { formatMatcher, buildSections, type ReportTable, type Section } from './section';

/** Builds figure 4 and table 11. */
export function buildMatcherSections(
  comparisons: readonly MatcherComparison[],
  withPaper: boolean,
): Section[] {
  const { matchers } = readPaperNumbers().correlations;
  const shownComparisons = comparisons.filter(({ models }) => models.length > 0);
  return buildSections(
    'matchers',
    'Matchers against each other (figure 4, table 11)',
    `Micro F1 (%), its correlation${withPaper ? ` (paper: r ${formatCoefficient(matchers.r)}, p ${matchers.p})` : ''}, and Krippendorff's alpha over entries.`,
    [...groupBy(shownComparisons, (comparison) => renderMatcherNames(comparison).join('\n'))].map(
      ([, matcherComparisons]) => buildMatcherTable(matcherComparisons),
    ),
  );
}

function renderMatcherNames({ first, second, decomposer }: MatcherComparison): string[] {
  return [
    `(1) ${formatMatcher(first)}`,
    `(2) ${formatMatcher(second)}`,
    ...(decomposer === null ? [] : [`decomposed by ${decomposer}`]),
  ];
}

/** Builds a row for each model, with the contexts side by side. */
function buildMatcherTable(comparisons: readonly MatcherComparison[]): ReportTable {
  const [first] = comparisons;
  const models = new Set(comparisons.flatMap((comparison) => comparison.models.map(({ model }) => model)));
  const beneathContexts = (name: string, textOf: (comparison: MatcherComparison) => string) => [
    name,
    ...comparisons.flatMap((comparison) => ['', '', textOf(comparison)]),
  ];
  return {
    above: first === undefined ? [] : renderMatcherNames(first),
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
          const modelNumbers = comparison.models.find((candidate) => candidate.model === model);
          return [
            modelNumbers === undefined ? NOTHING : `${modelNumbers.n_instances}`,
            formatPercent(modelNumbers?.first_f1),
            formatPercent(modelNumbers?.second_f1),
          ];
        }),
      ]),
      beneathContexts("Pearson's r", ({ correlation }) => formatCoefficient(correlation.r)),
      beneathContexts('p', ({ correlation }) => formatProbability(correlation.p)),
      beneathContexts('entries', ({ agreement }) => `${agreement.n_entries}`),
      beneathContexts('alpha, nominal', ({ agreement }) => formatCoefficient(agreement.nominal)),
      beneathContexts('alpha, ordinal', ({ agreement }) => formatCoefficient(agreement.ordinal)),
    ],
  };
}

/** Builds a table of matchers against people's labels (A.1). */
export function buildLabelSections(labels: StudyResults['human_labels']): Section[] {
  if (labels === undefined) return [];
  const { alpha, people } = readPaperNumbers().agreement;
  const { n_pairs, n_entries, n_pairs_dropped, n_entries_dropped, raters, matchers } = labels;
  return buildSections(
    'labels',
    'Matchers against people (A.1)',
    `Krippendorff's alpha (paper, on its own labels: people ${formatCoefficient(people)}, GPT-4o ${formatCoefficient(alpha.evaluator)}, PrefMatcher ${formatCoefficient(alpha.prefmatcher)}).`,
    [
      {
        above: [
          `Pairs: ${n_pairs}, entries: ${n_entries}; dropped without a majority: pairs ${n_pairs_dropped}, entries ${n_entries_dropped}`,
        ],
        columns: ['', 'entries', 'missing', 'nominal', 'ordinal'].map((title) => ({ title })),
        rows: [
          ['people with each other', `${n_entries}`, NOTHING, ...buildAlphaCells(raters)],
          ...matchers.map((matcher) => [
            formatMatcher(matcher),
            `${matcher.n_entries}`,
            `${matcher.n_entries_missing}`,
            ...buildAlphaCells(matcher),
          ]),
        ],
      },
    ],
  );
}

function buildAlphaCells({ nominal, ordinal }: { nominal: number | null; ordinal: number | null }): string[] {
  return [formatCoefficient(nominal), formatCoefficient(ordinal)];
}
