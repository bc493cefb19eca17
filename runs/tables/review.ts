import { formatCoefficient } from '../../schemas/text/numbers';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { MATCH_LABELS } from '../../schemas/matching/match-label';
import { LABEL_TEXTS } from '../../schemas/review/label-texts';
import { type Table, type TableColumn, toQuantity } from '../../schemas/text/table';
import type { ReviewSummary } from '../../rules/review/summary';

/** Builds the counts of each rater's annotations. */
export function buildReviewTable({ raters }: ReviewSummary): Table {
  const rows = raters.map(({ rater, tasks, labels, editedTasks, rejections }) => ({
    name: rater,
    cells: [tasks, ...MATCH_LABELS.map((label) => labels[label]), editedTasks, rejections].map((count) =>
      toQuantity(count),
    ),
  }));
  return { columns: COLUMNS, rows };
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'tasks' },
  ...MATCH_LABELS.map((label) => ({ title: LABEL_TEXTS[label], group: 'items' })),
  { title: 'edited' },
  { title: 'to leave out' },
];

/** Describes how far the two raters agree, and what may have influenced their labels. */
export function describeAgreement({ raters, items, agreement, isQuoted }: ReviewSummary): string {
  const names = raters
    .slice(0, 2)
    .map(({ rater }) => rater)
    .join(' and ');
  if (items.compared === 0) return `Agreement of ${names}: unknown, since no item has a label of both.`;
  const alpha = agreement.ordinal === null ? 'not defined' : formatCoefficient(agreement.ordinal);
  const quoting = isQuoted
    ? ' These are the saved labels: raters saw what a model quoted once they had labeled all items of a task, and could then change them.'
    : '';
  return `Agreement of ${names}: Krippendorff's alpha (ordinal) ${alpha}; the same label for ${formatNumber(items.equal)} of ${formatCount(items.compared, 'item')}.${quoting}`;
}
