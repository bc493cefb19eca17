import { join } from 'node:path';
import type { ReviewStatus } from '../../runs/review/status';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { quotePath } from '../../schemas/text/shell-text';

/** Renders the status of a review. @param name of its folder, as the user gave it */
export function renderReviewStatus(
  { id, data, tasks, decided, disputed, raters, server, accepted }: ReviewStatus,
  name: string,
): string[] {
  const thirdRater = disputed === 0 ? '' : `, ${formatNumber(disputed)} for the third rater`;
  return listPresent(
    `Review ${id} of ${data}: ${formatNumber(decided)} of ${formatCount(tasks, 'task')} decided${thirdRater}`,
    `Done: ${raters.map(({ rater, tasks: count }) => `${rater} ${formatNumber(count)}`).join(', ')}`,
    server !== null && `Process ${server.pid} on ${server.host} has served its page since ${server.since}.`,
    server === null &&
      (decided < tasks || accepted === null) &&
      `Its page is not served. Continue: cupid review ${quotePath(data)} --results-dir ${quotePath(name)}`,
    accepted !== null && `Accepted instances: ${join(name, accepted)}`,
  );
}
