import type { ComponentChild } from 'preact';
import { summarizeReview } from '../../rules/review/summary';
import { readReviewOutline, type ReviewOutline } from '../../runs/review/folder';
import { LABEL_TEXTS } from '../../schemas/review/label-texts';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { TableRow } from '../../schemas/text/table';
import { NumberTable } from '../parts/table';
import { Notes, Paragraph } from '../parts/text';
import { Warning } from './blocks';
import type { ReportPart } from './page';
import { buildReviewTable, describeAgreement } from '../../runs/tables/review';
import { quotePath } from '../../schemas/text/shell-text';

/**
 * Builds the part about a review, in progress or done: its raters, their agreement, and the items in which they differ. None without a review.
 * @param sha256 of the run's present data; undefined while the run is in progress
 */
export async function buildReviewParts(
  path: string,
  sha256: string | undefined,
  run: string,
): Promise<ReportPart[]> {
  const review = await readReviewOutline(path);
  if (review === undefined) return [];
  const summary = summarizeReview(review);
  const { decidedTasks, disputedTasks, tasks } = summary;
  const { sample, data } = review.plan;
  const facts = [
    `${formatNumber(decidedTasks)} of ${formatCount(tasks, 'task')} decided (paper, 3.2 and E).`,
    ...(disputedTasks === 0 ? [] : [`${formatNumber(disputedTasks)} wait for the third rater.`]),
    ...(sample === null
      ? []
      : [
          `Reviewed: ${formatNumber(sample.personas.length)} of ${formatCount(sample.all, 'persona')}, drawn at random.`,
        ]),
  ];
  return [
    {
      title: 'Review by people',
      blocks: [
        <Paragraph text={facts.join(' ')} />,
        ...(data.sha256 === sha256 ? [] : [<Warning title="Earlier data." text={describeEarlier(run)} />]),
        <NumberTable table={{ ...buildReviewTable(summary), title: 'Labels of each rater' }} />,
        <Notes lines={[describeAgreement(summary)]} />,
        ...renderDifferences(review),
      ],
    },
  ];
}

function describeEarlier(run: string): string {
  return `This review is of an earlier state of the data of this run. To review its present state: cupid review ${quotePath(run)} --rater NAME --rater NAME --results-dir DIR`;
}

/** Renders the items with different labels of the two raters, in the order of the data. */
function renderDifferences({ rules: { raters }, tasks, getLatest }: ReviewOutline): ComponentChild[] {
  const differing = tasks.flatMap(({ task, kind, persona_id, checklist }) => {
    const annotations = raters.flatMap((rater) => getLatest(task).get(rater) ?? []);
    return checklist.flatMap((item, at) => {
      const labels = annotations.flatMap(({ labels: itemLabels }) => itemLabels[at] ?? []);
      if (new Set(labels).size < 2) return [];
      return [{ name: `${persona_id}, ${kind}`, item, labels: labels.map((label) => LABEL_TEXTS[label]) }];
    });
  });
  if (differing.length === 0) return [];
  const rows = differing
    .slice(0, MOST_LISTED)
    .flatMap(({ name, item, labels }, at): TableRow[] => [
      ...(differing[at - 1]?.name === name ? [] : [{ name, cells: [] }]),
      { name: item, depth: 1, cells: labels },
    ]);
  const hiddenCount = differing.length - MOST_LISTED;
  return [
    <NumberTable
      table={{
        title: `Items with different labels of ${raters.join(' and ')}`,
        columns: raters.map((title) => ({ title })),
        rows,
        notes:
          hiddenCount > 0
            ? [
                `${formatCount(hiddenCount, 'more item')}: cupid explore, with the filter Raters: raters differ.`,
              ]
            : [],
      }}
    />,
  ];
}

/** The rest are in the explorer. */
const MOST_LISTED = 20;
