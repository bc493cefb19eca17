import { buildInstanceKey, type InstanceType } from '../../schemas/dataset/instance-type';
import type { NumberedRow } from '../../schemas/evaluation/evaluation-run';
import { groupBy } from '../group-by';

/** A row of a data set, and a hash of everything that its calls read. */
export interface HashedRow {
  readonly persona_id: string;
  readonly instance_type: InstanceType;
  readonly hash: string;
}

/** A row that an evaluation has stored, under a number of its own. */
export interface StoredRow extends HashedRow {
  readonly number: number;
  /** False for a row that the current data no longer have. */
  readonly isCurrent: boolean;
}

/** Rows of a data set compared with those that an evaluation has stored. */
export interface RowComparison<Row extends HashedRow = HashedRow> {
  /** All rows of the data, in order, each with the number of the stored row, or a new one. */
  readonly rows: readonly (Row & { readonly number: number })[];
  /** How many numbers were taken before; rows with a higher one are not stored yet. */
  readonly stored: number;
  readonly kept: readonly NumberedRow[];
  /** Rows that the current data do not have. */
  readonly added: readonly NumberedRow[];
  /** Rows with another content than in the current data. */
  readonly changed: readonly NumberedRow[];
  /** Rows of the current data that are missing. */
  readonly removed: readonly NumberedRow[];
}

/**
 * Compares the rows of a data set with all that an evaluation has ever stored. A row with the same key and hash keeps its number, and with it its
 * answers, even if it was missing in between. Any other row gets a new number, so no answer counts for a text that it was not given for.
 */
export function compareRows<Row extends HashedRow>(
  stored: readonly StoredRow[],
  rows: readonly Row[],
): RowComparison<Row> {
  // The current number of a row goes before earlier ones.
  const byAge = stored.toSorted((a, b) => Number(a.isCurrent) - Number(b.isCurrent));
  const numbersByContent = new Map(byAge.map((row) => [buildContentKey(row), row.number]));
  const current = new Map(
    stored.flatMap((row) => (row.isCurrent ? [[buildInstanceKey(row), row.number]] : [])),
  );
  const highestNumber = stored.reduce((highest, { number }) => Math.max(highest, number), 0);
  let next = highestNumber + 1;
  const numbered = rows.map((row) => ({
    ...row,
    number: numbersByContent.get(buildContentKey(row)) ?? next++,
  }));
  const before = (row: HashedRow) => current.get(buildInstanceKey(row));
  const keys = new Set(rows.map(buildInstanceKey));
  return {
    rows: numbered,
    stored: highestNumber,
    kept: numbered.filter((row) => before(row) === row.number),
    added: numbered.filter((row) => before(row) === undefined),
    changed: numbered.filter((row) => before(row) !== undefined && before(row) !== row.number),
    removed: stored.filter((row) => row.isCurrent && !keys.has(buildInstanceKey(row))),
  };
}

/** Adds the hashes of all rows of a persona to the hash of each, for calls that read all of them. */
export function addPersonaHashes<Row extends HashedRow>(rows: readonly Row[]): Row[] {
  const hashes = new Map(
    [...groupBy(rows, ({ persona_id }) => persona_id)].map(([persona, personaRows]) => [
      persona,
      personaRows
        .map(({ hash }) => hash)
        .toSorted()
        .join(' '),
    ]),
  );
  return rows.map((row) => ({ ...row, hash: `${row.hash} of ${hashes.get(row.persona_id)}` }));
}

function buildContentKey(row: HashedRow): string {
  return `${buildInstanceKey(row)}\u0000${row.hash}`;
}
