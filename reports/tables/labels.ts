import type { StudyResults } from '../../evaluations/studies';
import { readPaperNumbers } from '../../data/paper';
import { formatCoefficient, NOTHING } from '../../formatting/numbers';
import { formatMatcher, buildSections, type Section } from './section';

/** Matchers against people's labels (A.1). */
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
