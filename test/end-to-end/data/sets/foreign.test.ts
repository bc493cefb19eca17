import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTANCE_COLUMNS } from '../../../../data/tables/columns';
import { listSchemaColumns } from '../../../../data/readers/arrow/columns';
import type { FileColumn } from '../../../../data/readers/row';
import { readColumns } from '../../../../data/readers/file-columns';
import { openData } from '../../../../data/sets/open';
import { readInstances } from '../../../../data/sets/read';
import { getPart, needing } from '../../../parts/needing';
import { collect, buildInstances } from '../../../unit/data/sets/instances';
import { createTemporaryFolder } from '../../../temporary-folder';

const { test } = needing('readers');

const folder = createTemporaryFolder();
const rows = buildInstances(40);

beforeAll(async () => {
  const given = join(folder, 'rows.json');
  await writeFile(given, JSON.stringify(rows));
  await mkdir(join(folder, 'written'));
  await promisify(execFile)(getPart('readers'), [
    join(__dirname, 'writers.py'),
    given,
    join(folder, 'written'),
  ]);
});

// First: dictionaries are unpacked when a file is opened, by codecs that reading rows would leave.
test('whatever type a tool keeps texts and lists in, the columns are the same', async () => {
  const ours = listSchemaColumns(INSTANCE_COLUMNS).toSorted(byName);
  const written = readdirSync(join(folder, 'written')).filter((one) => /parquet|arrow|feather/.test(one));
  for (const name of written.toSorted()) {
    const { files } = await openData(join(folder, 'written', name), { report: fail, environment: {} });
    for (const file of files) {
      const columns = await readColumns(file);
      const cupid = columns?.filter((column) => column.name !== 'note').toSorted(byName);
      expect({ name, columns: cupid }).toEqual({ name, columns: ours });
    }
  }
});

// One test for all of them: their names are known only when they are written.
test('whatever pyarrow, polars, DuckDB and datasets write, with any codec and layout, is read as they got it', async () => {
  const written = readdirSync(join(folder, 'written')).toSorted();
  const differing: string[] = [];
  for (const name of written) {
    const dataSet = await openData(join(folder, 'written', name), { report: fail, environment: {} });
    const read = await collect(readInstances(dataSet)).catch((error: unknown) => error);
    // Their order of columns is ours again, which JSON would show.
    if (JSON.stringify(read) !== JSON.stringify(rows))
      differing.push(`${name}: ${String(read).slice(0, 300)}`);
  }
  expect(differing).toEqual([]);
  expect(written).toHaveLength(41);
});

function byName(one: FileColumn, other: FileColumn): number {
  return one.name < other.name ? -1 : 1;
}

test.each(['not-text.parquet', 'not-text.feather'])(
  '%s: bytes that are no text are named by row and field',
  async (name) => {
    const file = join(folder, name);
    const dataSet = await openData(file, { report: fail, environment: {} });
    await expect(collect(readInstances(dataSet))).rejects.toThrow(
      `${file}, row 1, field persona_id: expected a text, found bytes that are not UTF-8 text.\n${file}, row 2, field`,
    );
  },
);

function fail(line: string): never {
  throw new Error(`Nothing should be told: ${line}`);
}
