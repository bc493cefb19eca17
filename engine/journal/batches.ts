import type { RunInputs } from '../../schemas/run/run';
import { listDescribedBy, type DescriptionBatch } from './revisions';

/**
 * Builds the batches of descriptions. None crosses an earlier number of personas of the run, so growing the run changes none. Personas that are
 * described again form batches of their own, at the end.
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
  for (const { persona, step, revision } of restarts) if (step === 'describe') again.set(persona, revision);
  return [...batches, ...[...again].map(([persona, revision]) => ({ first: persona, count: 1, revision }))];
}

/** Finds the batch with the current description of a persona; undefined if the run has no such persona. */
export function findBatch(
  inputs: Pick<RunInputs, 'settings' | 'growth' | 'restarts'>,
  persona: number,
): DescriptionBatch | undefined {
  return buildBatches(inputs).findLast((batch) => listDescribedBy(batch, inputs.restarts).includes(persona));
}

/** Returns the personas described in the same call as this one, itself included. */
export function listDescribedWith(
  inputs: Pick<RunInputs, 'settings' | 'growth' | 'restarts'>,
  persona: number,
): number[] {
  const { first, count } = findBatch(inputs, persona) ?? { first: persona, count: 1 };
  return Array.from({ length: count }, (_, index) => first + index);
}
