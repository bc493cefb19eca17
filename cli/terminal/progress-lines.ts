import { printMessage } from '../output';

/** Between two lines, and before the first. */
const INTERVAL_MS = 2_000;

/** Prints what `render` returns every two seconds, unless that is undefined, until it is disposed of. */
export function reportProgress(render: () => string | undefined): Disposable {
  const timer = setInterval(() => {
    const line = render();
    if (line !== undefined) printMessage(line);
  }, INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

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
    if (performance.now() - reportedAt < INTERVAL_MS) return;
    reportedAt = performance.now();
    printMessage(`${doing}: ${done} of ${total} ${unit}.`);
  };
}
