import { sum } from 'simple-statistics';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { LabelledPair } from '../../schemas/matching/labelled-pair';
import type { EvaluatorName } from '../../schemas/evaluation/results/keys';
import type { LabelAnalysis } from '../../schemas/evaluation/results/studies';
import { findMajority, computeLabelAgreement } from './agreement';

/** One matcher's labels, in the order of the pairs: one for each entry, or null for a pair without a usable answer. */
interface MatcherLabels extends EvaluatorName {
  labels: readonly (readonly MatchLabel[] | null)[];
}

/**
 * Computes the agreement of matchers with the majority of the raters.
 * @throws RangeError unless a matcher has one list for each pair, with one label for each entry
 */
export function compareWithLabels(
  pairs: readonly LabelledPair[],
  matchers: readonly MatcherLabels[],
): LabelAnalysis {
  const majorities = pairs.map((pair) => pair.labels.map((ratings) => findMajority(ratings)));
  const keptCounts = majorities.map((entries) => entries.filter((label) => label !== undefined).length);
  const n_entries = sum(pairs.map(({ checklist }) => checklist.length));
  const n_kept = sum(keptCounts);
  return {
    n_pairs: pairs.length,
    n_entries,
    n_pairs_dropped: keptCounts.filter((count) => count === 0).length,
    n_entries_dropped: n_entries - n_kept,
    raters: { alpha: computeLabelAgreement(pairs.flatMap((pair) => pair.labels)) },
    matchers: matchers.map(({ evaluator, evaluator_form, labels: matcherLabels }) => {
      checkLabels(evaluator, pairs, matcherLabels);
      const units = majorities.flatMap((entries, pair) =>
        entries.flatMap((label, entry): [MatchLabel, MatchLabel][] => {
          const matcherLabel = matcherLabels[pair]?.[entry];
          return label === undefined || matcherLabel === undefined ? [] : [[label, matcherLabel]];
        }),
      );
      return {
        evaluator,
        evaluator_form,
        alpha: computeLabelAgreement(units),
        n_entries: units.length,
        n_entries_missing: n_kept - units.length,
      };
    }),
  };
}

function checkLabels(
  evaluator: string,
  pairs: readonly LabelledPair[],
  matcherLabels: MatcherLabels['labels'],
): void {
  if (matcherLabels.length !== pairs.length) {
    throw new RangeError(
      `${evaluator} has labels for ${matcherLabels.length} pairs, where there are ${pairs.length}.`,
    );
  }
  for (const [place, pair] of pairs.entries()) {
    const count = matcherLabels[place]?.length ?? pair.checklist.length;
    if (count === pair.checklist.length) continue;
    throw new RangeError(
      `${evaluator} has ${count} labels for pair ${place + 1}, whose checklist has ${pair.checklist.length} entries.`,
    );
  }
}
