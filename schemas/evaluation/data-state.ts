import type { EvaluatedData } from './evaluation-run';

// Workflows import this module, so it does not import zod.

/** Counts the states that an evaluated data set has had; that is the number of the current one, from 1. */
export function countDataStates({ earlier = [] }: Pick<EvaluatedData, 'earlier'>): number {
  return earlier.length + 1;
}
