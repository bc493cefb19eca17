import { readOpenBatches } from '../../data/run/batches';
import type { Store } from '../../data/store/store';
import { formatCount, pluralize } from '../../formatting/count-text';
import { InputError } from '../../schemas/input-error';

/** For a command without `--batch`: calls of an open batch would be paid for twice. @throws InputError */
export async function refuseOpenBatches(store: Store): Promise<void> {
  const open = await readOpenBatches(store);
  if (open.length === 0) return;
  const requests = open.reduce((sum, batch) => sum + batch.requests, 0);
  const them = pluralize(open.length, 'it', 'them');
  throw new InputError(
    `${formatCount(open.length, 'batch', 'batches')} with ${formatCount(requests, 'request')} of this run ${pluralize(open.length, 'is', 'are')} still open. Add --batch to continue with ${them}, or cancel ${them} first: cupid cancel RUN (RUN is the folder of the run).`,
  );
}
