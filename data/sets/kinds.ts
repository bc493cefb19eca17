import { basename, dirname } from 'node:path';
import type { Schema } from 'apache-arrow';
import type { Instance } from '../../schemas/dataset/instance';
import type { RecordForm } from '../../schemas/dataset/record';
import { type Columns, INSTANCE_COLUMNS, RECORD_COLUMNS } from '../tables/columns';
import { checkInstance } from './check';
import { checkRecord } from './check-record';
import type { DataSet } from './data-set';
import { readColumnNames } from '../readers/file-columns';
import type { RowKey } from './keys';
import type { CheckedRow } from './row-form';

export type KindName = 'instances' | 'records';

/** Kind of a data set's rows. */
export interface Kind<Row extends RowKey> {
  readonly name: KindName;
  readonly columns: Columns<Row>;
  readonly check: (value: unknown) => CheckedRow<Row>;
}

export const INSTANCES: Kind<Instance> = {
  name: 'instances',
  columns: INSTANCE_COLUMNS,
  check: checkInstance,
};

export const RECORDS: Kind<RecordForm> = { name: 'records', columns: RECORD_COLUMNS, check: checkRecord };

/** A kind of data set with any type of row. */
export interface KindColumns {
  readonly columns: Schema;
}

export function listRequiredColumns({ columns }: KindColumns): string[] {
  return columns.fields.map(({ name }) => name);
}

/**
 * Finds the kind of a data set by the columns of its first file; by its name if they do not decide.
 * @throws DataError when that file cannot be read
 */
export async function findKind({ files: [file] }: DataSet): Promise<KindName> {
  const names = file === undefined ? [] : await readColumnNames(file);
  const [instances, records] = [INSTANCES, RECORDS].map(
    (kind) => listRequiredColumns(kind).filter((name) => names.includes(name)).length,
  );
  if (instances !== records) return (records ?? 0) > (instances ?? 0) ? 'records' : 'instances';
  return file !== undefined && basename(dirname(file.path)) === 'CUPID-Raw' ? 'records' : 'instances';
}
