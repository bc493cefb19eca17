import { say } from '../output';

/** Reports every two seconds how much of a journal is checked; nothing when that takes less. */
export function journalProgress(): (progress: { readonly done: number; readonly total: number }) => void {
  let said = performance.now();
  return ({ done, total }) => {
    if (performance.now() - said < 2_000) return;
    said = performance.now();
    say(`Checking the journal: ${done} of ${total} workflows.`);
  };
}
