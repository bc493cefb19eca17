import { formatNumber } from '../schemas/text/count-text';
import { printMessage } from './output';

/** Milliseconds between two lines, and before the first. */
const INTERVAL_MS = 2_000;

/** Prints the result of `render` every two seconds, unless it is undefined, until disposed of. */
export function reportProgress(render: () => string | undefined): Disposable {
  const timer = setInterval(() => {
    const line = render();
    if (line !== undefined) printMessage(line);
  }, INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Reports the progress every two seconds from its first step on, and nothing if the work ends earlier.
 * @param title name of the work, such as `Checking the journal`
 * @param unit noun in the plural
 */
export function createCountProgress(
  title: string,
  unit: string,
): (progress: { readonly done: number; readonly total?: number }) => void {
  let reportedAt: number | undefined;
  return ({ done, total }) => {
    reportedAt ??= performance.now();
    if (performance.now() - reportedAt < INTERVAL_MS) return;
    reportedAt = performance.now();
    const count =
      total === undefined ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
    printMessage(`${title}: ${count} ${unit}${total === undefined ? ' so far' : ''}.`);
  };
}
