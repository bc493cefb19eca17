import { join, relative } from 'node:path';
import { formatNumber } from '../../formatting/count-text';
import { REVIEW_FILES } from '../../reviews/finish';
import type { ReviewResult } from '../../workflows/review/review';

/** What a review in a folder has made. */
export function renderReviewResult(
  path: string,
  { accepted, rejected, open, revised }: ReviewResult,
): string[] {
  const shown = (file: string) => relative(process.cwd(), join(path, file));
  return [
    `Accepted: ${formatNumber(accepted)}. Rejected: ${formatNumber(rejected)}. Not decided: ${formatNumber(open)}. With revised messages: ${formatNumber(revised)}.`,
    `  ${shown(REVIEW_FILES.rows)}  the accepted instances`,
    `  ${shown(REVIEW_FILES.audit)}  every annotation, with what it changed`,
  ];
}
