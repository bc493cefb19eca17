import { isDamage } from '../engine/journal/failed-work';
import { quotePath } from '../schemas/text/shell-text';
import { listPresent } from '../schemas/text/list-present';

/**
 * Renders the commands that retry or repair the failed work of a synthesis run, one a line.
 * @param name path of the run folder
 * @param options text to append to the plain retry command
 */
export function renderRetryCommands(
  failed: readonly { readonly kind: string }[],
  name: string,
  options: string,
): string[] {
  const run = quotePath(name);
  return listPresent(
    failed.some(isDamage) && `Repair the damaged journal: cupid retry ${run} --damaged`,
    failed.some((work) => !isDamage(work)) && `Retry: cupid retry ${run}${options}`,
  );
}
