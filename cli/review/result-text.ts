import { dirname, join, relative, resolve } from 'node:path';
import { buildReviewTable, describeAgreement } from '../../runs/tables/review';
import type { ReviewResult } from '../../publishing/review/place-files';
import type { ReviewSummary } from '../../rules/review/summary';
import { REVIEW_FOLDER } from '../../runs/review/folder';
import { REVIEW_FILES } from '../../schemas/review/review';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { quotePath } from '../../schemas/text/shell-text';
import { formatPublishCommand } from '../data-sets/make-folder';
import { getWidth } from '../terminal/width';
import { renderFile } from '../terminal/outputs';
import { renderTable } from '../../schemas/text/text-table';

/** A review, as the user names it. */
interface ReviewName {
  readonly data: string;
  /** The folder of the review. */
  readonly path: string;
  readonly simulated: boolean;
}

/** Renders the result of a review and the paths of its files. */
export function renderReviewResult(
  path: string,
  { accepted, rejected, open, unreviewable, revised }: ReviewResult,
): string[] {
  const formatPath = (file: string) => relative(process.cwd(), join(path, file));
  return [
    `Accepted: ${formatNumber(accepted)}. Rejected: ${formatNumber(rejected)}. Not decided: ${formatNumber(open)}.${unreviewable === 0 ? '' : ` Cannot be reviewed: ${formatNumber(unreviewable)}.`} With revised messages: ${formatNumber(revised)}.`,
    ...renderFile(formatPath(REVIEW_FILES.rows), 'the accepted instances'),
    ...renderFile(formatPath(REVIEW_FILES.audit), 'the latest annotations, with what they changed'),
  ];
}

/** Renders how many instances a review that was ended early decided, and how to continue it. */
export function renderUndecided(name: ReviewName, { accepted, rejected, open }: ReviewResult): string[] {
  if (open === 0) return [];
  const decided = accepted + rejected;
  const folder = isInRun(name) ? '' : ` --results-dir ${quotePath(name.path)}`;
  return [
    `${formatNumber(decided)} of ${formatCount(decided + open, 'instance')} ${pluralize(decided, 'is', 'are')} decided. ${formatNumber(open)} ${pluralize(open, 'is', 'are')} undecided and left out, because raters have not done all the tasks that ${pluralize(open, 'it depends', 'they depend')} on. Continue the review: cupid review ${quotePath(name.data)}${folder}`,
  ];
}

export function renderRaters(summary: ReviewSummary): string[] {
  return ['', ...renderTable(buildReviewTable(summary), getWidth()), '', describeAgreement(summary)];
}

/** Renders the commands that come next: they show where the raters differ, and publish the accepted instances. */
export function renderNext(
  name: ReviewName,
  { differingTasks }: Pick<ReviewSummary, 'differingTasks'>,
  { accepted }: Pick<ReviewResult, 'accepted'>,
): string[] {
  const data = quotePath(name.data);
  const explored = isInRun(name) ? data : `${data} ${quotePath(name.path)}`;
  const publishing = formatPublishCommand(join(name.path, dirname(REVIEW_FILES.rows)), name.simulated);
  const steps = [
    ...(differingTasks > 0 ? [`read where the raters differ: cupid explore ${explored}`] : []),
    ...(accepted > 0 ? [`publish the accepted instances: ${publishing}`] : []),
  ];
  return steps.map((step, at) => `${at === 0 ? 'Next,' : 'Then'} ${step}`);
}

function isInRun({ data, path }: ReviewName): boolean {
  return resolve(path) === resolve(data, REVIEW_FOLDER);
}
