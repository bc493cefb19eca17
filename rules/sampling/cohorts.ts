import { groupBy } from '../group-by';
import { createRandom } from './random';

interface OfPersona {
  readonly persona_id: string;
}

/** The state of the data, from 0, that first had each persona; in order. */
export type Cohorts = ReadonlyMap<string, number>;

/** Finds the cohort of each persona. @param states rows of the states of a data set, oldest first */
export function findCohorts(states: readonly (readonly OfPersona[])[]): Cohorts {
  const cohorts = new Map<string, number>();
  for (const [cohort, rows] of states.entries()) {
    for (const { persona_id: id } of rows) if (!cohorts.has(id)) cohorts.set(id, cohort);
  }
  return cohorts;
}

/**
 * Draws so many items, or all if there are fewer. Those of earlier cohorts come first, so what was drawn before the data grew is drawn again.
 * @param cohorts items of unknown personas count to the first one
 */
export function drawByCohort<Item extends OfPersona>(
  items: readonly Item[],
  cohorts: Cohorts,
  count: number,
  ...parts: readonly (string | number)[]
): Item[] {
  const groups = groupBy(items, ({ persona_id: id }) => cohorts.get(id) ?? 0);
  const drawnItems: Item[] = [];
  for (const [cohort, cohortItems] of [...groups].toSorted(([a], [b]) => a - b)) {
    const random = createRandom(...parts, ...(cohort === 0 ? [] : [cohort]));
    drawnItems.push(...random.sample(cohortItems, Math.min(count - drawnItems.length, cohortItems.length)));
  }
  return drawnItems;
}

/** Draws the order of all personas that any state of the data had, so that a persona that leaves the data moves no other. */
export function drawPersonas(cohorts: Cohorts, ...parts: readonly (string | number)[]): string[] {
  const personas = [...cohorts.keys()].map((id) => ({ persona_id: id }));
  return drawByCohort(personas, cohorts, personas.length, ...parts).map(({ persona_id: id }) => id);
}
