import { readUnanswered } from '../../data/run/unanswered-calls';
import type { Store } from '../../data/store/store';
import type { FailedCall } from '../../schemas/run/outcome';

/** Why a call failed, which workflows do not know: from the store of its run. */
export async function readFailureCause(store: Store, call: FailedCall): Promise<string> {
  return (await findFailureCause(store, call)) ?? `${call.key}: ${call.kind}`;
}

/** Returns the same; undefined where the store has no cause. */
export async function findFailureCause(
  store: Store,
  { key }: Pick<FailedCall, 'key'>,
): Promise<string | undefined> {
  return (await readUnanswered(store, key))?.cause;
}
