import { printMessage } from '../output';

/** Reports every two seconds how much of a journal is checked; nothing when that takes less. */
export function createJournalProgress(): (progress: {
  readonly done: number;
  readonly total: number;
}) => void {
  let said = performance.now();
  return ({ done, total }) => {
    if (performance.now() - said < 2_000) return;
    said = performance.now();
    printMessage(`Checking the journal: ${done} of ${total} workflows.`);
  };
}
