import { readUnanswered } from '../../data/run/unanswered-calls';
import type { Store } from '../../data/store/store';
import type { FailedCall } from '../../schemas/run/outcome';

/** Why a call failed, which workflows do not know: from the store of its run. */
export async function readFailureCause(store: Store, { kind, key }: FailedCall): Promise<string> {
  return (await readUnanswered(store, key))?.cause ?? `${key}: ${kind}`;
}
