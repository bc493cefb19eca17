import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import type { Store } from '../../data/store/store';
import { computeSpent } from '../../engine/costs/prices';
import {
  applySteering,
  findPriceRefusal,
  findRefusal,
  type SteeringRequest,
} from '../../engine/limits/steering';
import { InputError } from '../../schemas/input-error';
import type { Ledger } from '../../schemas/run/ledger';
import type { Steering } from '../../schemas/run/steering';
import type { Pause } from '../../workflows/messages';
import { readLedger } from '../estimate/ledgers';

/** Reads from the store of a run that no process works for why it will be paused when it continues. */
export async function readPauseAtRest(store: Store): Promise<ReturnType<typeof findPauseAtRest>> {
  return findPauseAtRest(await readSteering(store), await readLedger(store));
}

/** Finds why a run that no process works for will be paused when it continues. */
export function findPauseAtRest(
  steering: Pick<Steering, 'paused' | 'budget' | 'modelTable'>,
  ledger: Ledger,
): { readonly paused?: Pause } {
  const { paused, budget } = steering;
  if (paused) return { paused: { by: 'user' } };
  if (budget === undefined) return {};
  const spentAmount = computeSpent(ledger, buildModelTable(steering))[budget.unit];
  return spentAmount >= budget.cap ? { paused: { by: 'budget', spent: spentAmount, cap: budget.cap } } : {};
}

/** Returns the steering of a run that no process works for, with this change. @throws InputError when the result is impossible */
export function applySteeringAtRest(
  steering: Steering,
  change: SteeringRequest,
  { models, ledger }: { readonly models: readonly string[]; readonly ledger: Ledger },
): Steering {
  const changedTable = buildModelTable({ ...steering, ...change });
  const spentAmounts = computeSpent(ledger, changedTable);
  const { budget } = steering;
  const refusal = findRefusal(change, {
    steering,
    workers: 1,
    outOfBudget: budget !== undefined && spentAmounts[budget.unit] >= budget.cap,
    models,
    spent: spentAmounts,
  });
  const now = applySteering(steering, change);
  const refused = refusal ?? findPriceRefusal(now, models, changedTable);
  if (refused !== undefined) throw new InputError(refused);
  return now;
}
