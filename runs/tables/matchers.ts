import type { MatcherComparison } from '../../schemas/evaluation/results/analyses';
import type { LabelAgreement } from '../../schemas/evaluation/results/figures';
import type { StudyResults } from '../../schemas/evaluation/results/studies';
import { readPaperNumbers } from '../../data/paper';
import { formatCoefficient, NOTHING } from '../../schemas/text/numbers';
import { type Quantity, type Table, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { formatMatcher, buildSections, type Section } from './section';

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
function buildMatcherTable(comparisons: readonly MatcherComparison[]): Table {
  const [first] = comparisons;
  const models = new Set(comparisons.flatMap((comparison) => comparison.models.map(({ model }) => model)));
  const beneathContexts = (name: string, getNumber: (comparison: MatcherComparison) => Quantity) => ({
    name,
    cells: comparisons.flatMap((comparison) => ['', '', getNumber(comparison)]),
  });
  const [title = '', ...lines] = first === undefined ? [] : renderMatcherNames(first);
  return {
    title,
    lines,
    columns: comparisons.flatMap(({ context }) =>
      ['n', 'F1 (1)', 'F1 (2)'].map((name) => ({ title: name, group: context })),
    ),
    rows: [
      ...[...models].map((model) => ({
        name: model,
        cells: comparisons.flatMap((comparison) => {
          const modelNumbers = comparison.models.find((candidate) => candidate.model === model);
          return [
            toQuantity(modelNumbers?.n_instances),
            toQuantity(modelNumbers?.first_f1, 'percent'),
            toQuantity(modelNumbers?.second_f1, 'percent'),
          ];
        }),
      })),
      beneathContexts("Pearson's r", ({ correlation }) => toQuantity(correlation.r, 'coefficient')),
      beneathContexts('p', ({ correlation }) => toQuantity(correlation.p, 'probability')),
      beneathContexts('entries', ({ n_entries }) => toQuantity(n_entries)),
      beneathContexts('alpha, nominal', ({ alpha }) => toQuantity(alpha.nominal, 'coefficient')),
      beneathContexts('alpha, ordinal', ({ alpha }) => toQuantity(alpha.ordinal, 'coefficient')),
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
        title: `Pairs: ${n_pairs}, entries: ${n_entries}; dropped without a majority: pairs ${n_pairs_dropped}, entries ${n_entries_dropped}`,
        columns: ['entries', 'missing', 'nominal', 'ordinal'].map((title) => ({ title })),
        rows: [
          {
            name: 'people with each other',
            cells: [toQuantity(n_entries), NOTHING, ...buildAlphaCells(raters.alpha)],
          },
          ...matchers.map((matcher) => ({
            name: formatMatcher(matcher),
            cells: [
              toQuantity(matcher.n_entries),
              toQuantity(matcher.n_entries_missing),
              ...buildAlphaCells(matcher.alpha),
            ],
          })),
        ],
      },
    ],
  );
}

function buildAlphaCells({ nominal, ordinal }: LabelAgreement): Quantity[] {
  return [nominal, ordinal].map((alpha) => toQuantity(alpha, 'coefficient'));
}
