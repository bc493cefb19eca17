import { isDamage } from '../../engine/journal/failed-work';
import { quotePath } from '../command-line';
import { COMMAND } from '../exit';

/**
 * The commands that finish failed work of a synthesis run, a line each.
 * @param name the run folder as the person can name it
 * @param options said of the plain retry, after its command
 */
export function renderRetryCommands(
  failed: readonly { readonly kind: string }[],
  name: string,
  options: string,
): string[] {
  const run = quotePath(name);
  return [
    ...(failed.some(isDamage) ? [`Repair the damaged journal: ${COMMAND} retry ${run} --damaged`] : []),
    ...(failed.some((work) => !isDamage(work)) ? [`Retry: ${COMMAND} retry ${run}${options}`] : []),
  ];
}
