import { printMessage } from '../output';

/**
 * Reports every two seconds how much is done; nothing when that takes less.
 * @param doing such as `Checking the journal`
 * @param unit in the plural
 */
export function createCountProgress(
  doing: string,
  unit: string,
): (progress: { readonly done: number; readonly total: number }) => void {
  let reportedAt = performance.now();
  return ({ done, total }) => {
    if (performance.now() - reportedAt < 2_000) return;
    reportedAt = performance.now();
    printMessage(`${doing}: ${done} of ${total} ${unit}.`);
  };
}
