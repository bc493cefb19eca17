import { dirname, join } from 'node:path';
import { INSTANCE_COLUMNS, RECORD_COLUMNS, type Columns } from '../../data/tables/columns';
import type { DataSet } from '../../data/sets/data-set';
import { createReadError, DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import { readText } from '../../data/store/own-file';
import type { KindName } from '../../data/sets/kinds';
import type { Marks } from '../../data/marks/marks';
import { readInstances, readRecords } from '../../data/sets/read';
import type { Instance } from '../../schemas/dataset/instance';
import type { Provenance } from '../../schemas/dataset/provenance';
import type { RecordForm } from '../../schemas/dataset/record';
import { type Watch, watchRows } from '../watch';

/** A data set that is written in another form. */
export interface ExportSource<Row extends object> extends Marks {
  readonly columns: Columns<Row>;
  /** Starts over with each call, and throws DataError for a row that is not sound. */
  readonly rows: () => AsyncGenerator<Row>;
  /** The text of its card; undefined when it has none. */
  readonly card: string | undefined;
  /** Path of its `provenance.parquet`, which describes instances. */
  readonly provenance?: string;
  /** Which rows of the provenance are kept; absent for all. */
  readonly keeps?: (row: Pick<Provenance, 'persona_id' | 'instance_type'>) => boolean;
  /** Completes the card once all rows were read. */
  readonly finishCard?: (card: string) => string;
}

export type AnyExportSource =
  | ({ readonly kind: 'instances' } & ExportSource<Instance>)
  | ({ readonly kind: 'records' } & ExportSource<RecordForm>);

/** @param watch its signal ends the reading of rows, each of which is reported */
export async function openSource(
  { dataSet, kind }: { readonly dataSet: DataSet; readonly kind: KindName },
  watch: Watch,
): Promise<AnyExportSource> {
  const { provenance, simulated, canary } = dataSet;
  const marks = { simulated, canary };
  const card = await readSourceCard(dataSet);
  if (kind === 'records') {
    const rows = () => watchRows(readRecords(dataSet), watch);
    return { kind, columns: RECORD_COLUMNS, rows, card, ...marks };
  }
  const rows = () => watchRows(readInstances(dataSet), watch);
  return {
    kind,
    columns: INSTANCE_COLUMNS,
    rows,
    card,
    ...marks,
    ...(provenance !== undefined && { provenance }),
  };
}

/** @throws DataError for records @param option that is about instances */
export function requireInstances(
  source: AnyExportSource,
  { source: name }: DataSet,
  option: string,
): ExportSource<Instance> {
  if (source.kind === 'instances') return source;
  throw new DataError(`${name} has records, and ${option} needs instances. Name the instances.`);
}

/** Reads a data set's card. Returns undefined when it has none. @throws DataError when it cannot be read */
export async function readSourceCard(dataSet: DataSet): Promise<string | undefined> {
  const path = findCardPath(dataSet);
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = await readText(path, dirname(path));
  } catch (error) {
    throw createReadError(path, error);
  }
  // A README that has no front matter is no card, but describes the folder that the file lies in.
  return /^\uFEFF?---/.test(text) ? text : undefined;
}

function findCardPath({ commit, cardName, files: [first] }: DataSet): string | undefined {
  if (cardName === undefined || commit === undefined || first === undefined) return cardName;
  // For a file of the Hub, both name and path end with its path in the repository.
  const inside = first.name.slice(cardName.length - CARD.length);
  return join(first.path.slice(0, -inside.length), CARD);
}
