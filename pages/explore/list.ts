import { omitUndefined } from '../../schemas/omit-undefined';
import { groupBy } from '../../rules/group-by';
import { decideVerdicts } from '../../rules/verification/summary';
import type { InstancePage, ListedInstance, ListedScore, Progress, ResultColumn } from './answers';
import {
  type Filter,
  type IndexedInstance,
  type KnownInstance,
  matchesFilter,
  sortInstances,
} from './filter';

// The server and the page of a bundle list instances with these functions. They use no Node.js API.

/** Finds what is known of an instance besides its row. */
type FindKnown = (row: IndexedInstance) => KnownInstance;

/**
 * Returns the matching instances in the order that the filter names.
 * @param texts those that contain the text of the search; undefined without one
 */
export function selectInstances(
  rows: readonly IndexedInstance[],
  filter: Filter,
  texts: ReadonlySet<number> | undefined,
  findKnown: FindKnown,
): readonly IndexedInstance[] {
  const matching = rows.filter(
    (row) =>
      (texts === undefined || row.texts.some((text) => texts.has(text))) &&
      matchesFilter(findKnown(row), filter),
  );
  return sortInstances(matching, filter, findKnown);
}

/** Builds the page of the list that begins at a row. */
export function buildPage(
  matching: readonly IndexedInstance[],
  from: number,
  progress: Progress,
  findKnown: FindKnown,
): InstancePage {
  const rows = matching.slice(from, from + PAGE_ROWS).map((row) => describeListed(findKnown(row)));
  return { rows, from, matching: matching.length, progress };
}

/** Instances on a page of the list. */
export const PAGE_ROWS = 50;

/** Returns the facts that the list shows. */
export function describeListed({ row, scores, verdicts, labels }: KnownInstance): ListedInstance {
  const { key: _key, place: _place, preference: _preference, texts: _texts, ...listed } = row;
  const verdict = verdicts && decideVerdicts(verdicts);
  return { ...listed, scores, ...omitUndefined({ verdict, labels }) };
}

/**
 * Computes the largest difference between scores of one task on an instance, from 0 to 1. Returns -1 if no task has
 * two scores.
 * @param columnNumbers the columns to compare; all if there are fewer than two
 */
export function computeSpread(
  scores: readonly ListedScore[],
  columns: readonly ResultColumn[],
  columnNumbers: readonly number[] = [],
): number {
  const comparedScores = scores.filter(
    ({ column }) => columnNumbers.length < 2 || columnNumbers.includes(column),
  );
  const byTask = groupBy(comparedScores, ({ column }) => columns[column]?.task ?? '');
  return [...byTask].reduce((maximum, [task, taskScores]) => {
    const values = taskScores.flatMap(({ value }) => value ?? []);
    if (values.length < 2) return maximum;
    const spread = Math.max(...values) - Math.min(...values);
    return Math.max(maximum, task === 'generation' ? spread / 10 : spread);
  }, -1);
}

/** Reads a count in an address: 0 if it is absent or something else. */
export function readCount(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

export function describeMissing(persona: string, type: string): string {
  const name = [persona, type].filter(Boolean).join(', ');
  return `There is no instance ${name} here. The link may be of other data, or of another state of this data.`;
}
