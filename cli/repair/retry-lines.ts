import { adviseRetry } from '../../runs/failures/retry-advice';
import { COMMAND } from '../exit';

/**
 * The commands that finish failed work of a synthesis run, a line each.
 * @param run the run folder as the person can name it
 * @param options said of the plain retry, after its command
 */
export function renderRetryCommands(
  failed: readonly { readonly kind: string }[],
  run: string,
  options: string,
): string[] {
  const { repair, retry } = adviseRetry(failed);
  return [
    ...(repair ? [`Repair the damaged journal: ${COMMAND} retry ${run} --damaged`] : []),
    ...(retry ? [`Retry: ${COMMAND} retry ${run}${options}`] : []),
  ];
}
