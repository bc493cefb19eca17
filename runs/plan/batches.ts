import type { RunInputs } from '../../schemas/run/run';
import type { DescriptionBatch } from '../../engine/journal/revisions';

/**
 * Batches of descriptions; none reaches over a number of personas the run once had, so that growing changes none. Personas
 * that are described once more are a batch each, after those that all were described in.
 */
export function buildBatches({
  settings,
  growth,
  restarts,
}: Pick<RunInputs, 'settings' | 'growth' | 'restarts'>): DescriptionBatch[] {
  const batches: DescriptionBatch[] = [];
  let first = 1;
  for (const personas of growth) {
    for (; first <= personas; first += settings.describeBatch) {
      batches.push({ first, count: Math.min(settings.describeBatch, personas - first + 1) });
    }
    first = personas + 1;
  }
  const again = new Map<number, number>();
  for (const { persona, step, generation: revision } of restarts)
    if (step === 'describe') again.set(persona, revision);
  return [
    ...batches,
    ...[...again].map(([persona, revision]) => ({ first: persona, count: 1, generation: revision })),
  ];
}
