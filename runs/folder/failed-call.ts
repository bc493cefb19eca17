import { readUnanswered } from '../../data/run/unanswered-calls';
import type { Store } from '../../data/store/store';
import type { FailedCall } from '../../schemas/run/outcome';

/** Reads why a call failed from the run's store, because workflows do not know it. */
export async function readFailureCause(store: Store, call: FailedCall): Promise<string> {
  return (await findFailureCause(store, call)) ?? `${call.key}: ${call.kind}`;
}

/** Reads the same; undefined if the store has no cause. */
export async function findFailureCause(
  store: Store,
  { key }: Pick<FailedCall, 'key'>,
): Promise<string | undefined> {
  return (await readUnanswered(store, key))?.cause;
}
