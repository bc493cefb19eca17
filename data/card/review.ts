import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { DataStatistics } from '../../schemas/dataset/data-statistics';
import type { AcceptanceRule } from '../../schemas/review/acceptance-rule';
import type { Ratings } from '../../schemas/review/ratings';
import { readPaperNumbers } from '../paper';
import { formatCode, formatDecimals, renderBullets } from './markdown';
import { withChecked } from './render';
import { REVIEWED_TAG, withAccepted } from './verification';

export interface ReviewFacts {
  /** Number of people who rated, including a third one who annotated at least one task. */
  readonly people: number;
  /** Number of decided tasks, each annotated by both raters. */
  readonly tasks: number;
  readonly accept: AcceptanceRule;
  /** The personas that were drawn for the review; null for all. */
  readonly sample: { readonly personas: readonly string[]; readonly all: number } | null;
  /** Krippendorff's alpha of the two raters' labels on an ordinal scale; null if it is undefined. */
  readonly alpha: number | null;
  /** True if raters could change labels after they saw what a model quoted. */
  readonly isQuoted: boolean;
  /** Ratings by the two raters. */
  readonly ratings: Ratings;
  readonly accepted: number;
  readonly rejected: number;
  /** Instances with undecided tasks. */
  readonly open: number;
  /** Instances that lack a task for one of their preferences. */
  readonly unreviewable: number;
  readonly revised: number;
  /** SHA-256 of the reviewed data. */
  readonly sha256: string;
  readonly statistics: DataStatistics;
  readonly figures: DataFigures;
}

/**
 * Returns the card of a data set that keeps only the instances that people accepted.
 * @throws DataError when the front matter is not YAML
 */
export function withReview(card: string, facts: ReviewFacts): string {
  const { people, tasks, accept, sample, alpha, isQuoted, ratings, sha256 } = facts;
  const { accepted, rejected, open, unreviewable, revised } = facts;
  const alphaText = alpha === null ? 'not defined' : formatDecimals(alpha, 3);
  const quoting = isQuoted
    ? ' The raters saw what a model had quoted for the items once they had labeled all items of a task, and could then change their labels.'
    : '';
  const verification = [
    `${formatCount(people, 'person', 'people')} reviewed the instances with \`cupid review\`, as section 3.2 and appendix E of the paper describe it: ${formatCount(tasks, 'task')}, each annotated by two raters. This data set has the ${formatNumber(accepted)} instances that were accepted. A persona may have fewer than three.`,
    renderBullets([
      ...(sample === null
        ? []
        : [
            `Reviewed: a sample of ${formatNumber(sample.personas.length)} of the ${formatCount(sample.all, 'persona')}, drawn at random. The instances of the others are not in this data set.`,
          ]),
      `Acceptance: ${ACCEPTANCE[accept]}.`,
      `Agreement of the two raters on checklist items: Krippendorff's alpha (ordinal) ${alphaText}.${quoting}`,
      ...renderRatings(ratings),
      `Left out: ${formatCount(rejected, 'rejected instance')}${open === 0 ? '' : ` and ${formatNumber(open)} that were not reviewed to the end`}${unreviewable === 0 ? '' : ` and ${formatNumber(unreviewable)} that cannot be reviewed`}. Instances with revised messages: ${formatNumber(revised)}.`,
      `Each rater's latest annotation of each task, with its revisions, is in ${formatCode('audit.parquet')}, which the review wrote beside this data set and which is not part of it.`,
      `Reviewed data: SHA-256 ${formatCode(sha256)}.`,
    ]),
  ].join('\n\n');
  return withAccepted(withChecked(card), { ...facts, name: 'CUPID', tags: [REVIEWED_TAG], verification });
}

function renderRatings({ request, preference }: Ratings): string[] {
  const kinds = [
    ...(request === undefined ? [] : [['requests', request] as const]),
    ...(preference === undefined ? [] : [['dialogues', preference] as const]),
  ];
  if (kinds.length === 0) return [];
  const ratingTexts = kinds.map(
    ([name, { realism, implicitness }]) =>
      `${name} ${formatRating(realism)} for realism and ${formatRating(implicitness)} for indirectness`,
  );
  const { mean, deviation, most } = readPaperNumbers().review.realism;
  return [
    `Mean ratings of the two raters, from 1 to 7: ${ratingTexts.join('; ')}. The paper reports a realism of requests of ${formatDecimals(mean, 2)} (SD ${formatDecimals(deviation, 2)}) on a scale from 1 to ${most}.`,
  ];
}

function formatRating({ mean, deviation }: NonNullable<Ratings['request']>['realism']): string {
  return `${formatDecimals(mean, 2)}${deviation === null ? '' : ` (SD ${formatDecimals(deviation, 2)})`}`;
}

const ACCEPTANCE: Readonly<Record<AcceptanceRule, string>> = {
  any: 'an item counts as expressed if one of the two raters says so',
  all: 'an item counts as expressed only if both raters say so, and as revealed by a request if one does',
  third: 'where the two raters differ, a third person decides',
};
