import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { exportReview } from '../../pages/review/export';
import { getReview, type Annotations, type ReviewFolder } from '../../runs/review/folder';
import { importAnnotations } from '../../pages/review/import';
import { summarizeReview } from '../../rules/review/summary';
import { renderParts } from '../data-sets/make-folder';
import { COMMAND, EXIT } from '../exit';
import { print, printMessage } from '../output';

/** Runs `cupid review --export`: writes each rater's tasks for Label Studio. Returns the exit code. */
export async function exportTasks(
  review: ReviewFolder,
  annotations: Annotations,
  outputDir: string,
): Promise<number> {
  const parts = await exportReview(review, annotations, outputDir);
  print([`Wrote the tasks of each rater to ${outputDir}:`, ...renderParts(parts), ...NEXT].join('\n'));
  return EXIT.done;
}

const NEXT = [
  'In Label Studio, make a project for each rater: paste config.xml as its labeling interface, and import NAME.json.',
  `Then export each project as JSON, and add the annotations: ${COMMAND} review DATA --import FILE…`,
];

/** Runs `cupid review --import`: adds annotations from Label Studio. Returns whether every task is decided. */
export async function importAndReport(
  review: ReviewFolder,
  annotations: Annotations,
  paths: readonly string[],
): Promise<boolean> {
  const { added, known, unsubmitted, warnings } = await importAnnotations(review, annotations, paths);
  for (const warning of warnings) printMessage(warning);
  const { decided, disputed, tasks } = summarizeReview(getReview(review, annotations));
  print(
    [
      `Added ${formatCount(added, 'annotation')}. Known before: ${formatNumber(known)}. Not submitted: ${formatNumber(unsubmitted)}.`,
      `${formatNumber(decided)} of ${formatCount(tasks, 'task')} decided${disputed === 0 ? '' : `, ${formatNumber(disputed)} for the third rater`}.`,
    ].join('\n'),
  );
  return decided === tasks;
}
