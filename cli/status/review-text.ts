import { join } from 'node:path';
import type { ReviewStatus } from '../../runs/review/status';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { quotePath } from '../../schemas/text/shell-text';

/** Renders the status of a review. @param name of its folder, as the user gave it */
export function renderReviewStatus(
  { id, data, tasks, decidedTasks, disputedTasks, raters, server, acceptedFile }: ReviewStatus,
  name: string,
): string[] {
  const thirdRater = disputedTasks === 0 ? '' : `, ${formatNumber(disputedTasks)} for the third rater`;
  return listPresent(
    `Review ${id} of ${data}: ${formatNumber(decidedTasks)} of ${formatCount(tasks, 'task')} decided${thirdRater}`,
    `Done: ${raters.map(({ rater, tasks: count }) => `${rater} ${formatNumber(count)}`).join(', ')}`,
    server !== null && `Process ${server.pid} on ${server.host} has served its page since ${server.since}.`,
    server === null &&
      (decidedTasks < tasks || acceptedFile === null) &&
      `Its page is not served. Continue: cupid review ${quotePath(data)} --results-dir ${quotePath(name)}`,
    acceptedFile !== null && `Accepted instances: ${join(name, acceptedFile)}`,
  );
}
