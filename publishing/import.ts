import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkLicense, deriveLicense, PERSONA_HUB_LICENSE } from '../data/card/licenses';
import { type DataFacts, renderImportedCard } from '../data/card/render';
import { type Columns, INSTANCE_COLUMNS, RECORD_COLUMNS } from '../data/tables/columns';
import type { WrittenFile } from '../data/store/files';
import type { Marks } from '../data/marks/marks';
import { CARD, findCard } from '../data/folders/folder';
import { requireEmptyPlace, writeNewFolder, writeTextPart } from '../data/store/new-folder';
import { writeParquet } from '../data/tables/parquet';
import type { ImportReport, WrittenPart } from '../schemas/dataset/export';
import { readInstanceFiles } from './import/instances';
import { OtherKeys } from './import/json-file';
import { findLayout } from './import/layout';
import { ImportNotes } from './import/notes';
import { readPersonas, readRecordFiles } from './import/records';
import type { Watch } from './watch';

interface ImportRequest {
  /** New or empty. */
  readonly outputDir: string;
  /** An identifier of the Hub; if absent, that of the folder's card, else that of the seeds. */
  readonly license?: string | undefined;
}

/**
 * Brings the reference program's files into data sets, each with a card: `CUPID-Raw`, and of the instances `CUPID-Unverified`. The
 * output folder is there whole or not at all, also when the signal ends the work.
 * @param folder the one with `personas.json`, `data/` and `instances/`, or with `instances/` alone
 * @throws DataError for a file that cannot be read or is not in the form, a license that the Hub does not know, or an output folder
 * that is not empty
 */
export async function importData(
  folder: string,
  { outputDir, license: requestedLicense }: ImportRequest,
  watch: Watch = {},
): Promise<ImportReport> {
  if (requestedLicense !== undefined) checkLicense(requestedLicense);
  await requireEmptyPlace(outputDir);
  const layout = await findLayout(folder);
  const otherKeys = new OtherKeys();
  const personas = layout.hasPersonas ? await readPersonas(layout, otherKeys) : undefined;
  const { simulated, canary, license: cardLicense } = (await findCard(folder)) ?? {};
  const license =
    requestedLicense ?? (cardLicense === undefined ? PERSONA_HUB_LICENSE : deriveLicense(cardLicense));
  const marks = { simulated, canary };
  const importNotes = new ImportNotes(personas, watch);

  const tables = await writeNewFolder(outputDir, async (newFolder) => {
    const writtenTables: ImportedTable[] = [];
    // Records before their instances: so the statistics count what both have once.
    if (personas !== undefined && personas.withData.length > 0) {
      const records = importNotes.records(readRecordFiles(layout, personas, otherKeys));
      writtenTables.push(await writeTable(newFolder, 'CUPID-Raw', RECORD_COLUMNS, records, marks));
    }
    if (layout.instances.length > 0) {
      const instances = importNotes.instances(readInstanceFiles(layout, otherKeys));
      writtenTables.push(await writeTable(newFolder, 'CUPID-Unverified', INSTANCE_COLUMNS, instances, marks));
    }
    const facts = { ...importNotes.counted(), license, ...marks };
    return Promise.all(
      writtenTables.map(async (table) => ({ table, card: await writeCard(newFolder, table, facts) })),
    );
  });
  return {
    source: folder,
    folder: outputDir,
    ...Object.fromEntries(tables.map(({ table: { dataSet, rows } }) => [KINDS[dataSet], rows])),
    leftOut: [...(personas?.withoutData ?? [])],
    simulated: simulated === true,
    license,
    parts: tables.flatMap(({ table, card }) => [buildPart(table), card]),
    notes: importNotes.notes(otherKeys),
  };
}

const KINDS = { 'CUPID-Raw': 'records', 'CUPID-Unverified': 'instances' } as const;

interface ImportedTable extends WrittenFile {
  readonly dataSet: DataFacts['dataSet'];
}

const TABLE = 'test.parquet';

async function writeTable<Row extends object>(
  newFolder: string,
  dataSet: ImportedTable['dataSet'],
  columns: Columns<Row>,
  rows: AsyncIterable<Row>,
  marks: Marks,
): Promise<ImportedTable> {
  await mkdir(join(newFolder, dataSet));
  return { dataSet, ...(await writeParquet(join(newFolder, dataSet, TABLE), columns, rows, marks)) };
}

async function writeCard(
  newFolder: string,
  { dataSet, rows, bytes, memoryBytes }: ImportedTable,
  facts: Omit<DataFacts, 'dataSet' | 'files'>,
): Promise<WrittenPart> {
  const files = { path: TABLE, rows, bytes, memoryBytes };
  return writeTextPart(newFolder, `${dataSet}/${CARD}`, renderImportedCard({ dataSet, files, ...facts }));
}

function buildPart({ dataSet, rows, bytes }: ImportedTable): WrittenPart {
  return { path: `${dataSet}/${TABLE}`, files: 1, rows, bytes };
}
