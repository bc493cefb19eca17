/**
 * Measures writing and reading of Parquet, against pyarrow with the same codec (zstd), size of row groups (100) and a page index. Both go from
 * rows in memory to a file, and back. The rows are the instances of simulated personas.
 *
 *   npm run build && node bench/data.mjs [--rows N] [--repeats N]
 *
 * --rows     instances (default: 756)
 * --repeats  of each measurement, of which the median is printed (default: 7)
 *
 * pyarrow comes from the tests' Python environment, which is created on first use; this takes a minute and the network.
 */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder } from './shared/processes.mjs';
import { median, printTable } from './shared/table.mjs';

const { rows: count, repeats } = readOptions({ rows: 756, repeats: 7 });
const title = `Data: ${count} instances. ${describeMachine()}`;
const { writeParquet } = loadTypeScript('data/tables/parquet.ts');
const { INSTANCE_COLUMNS } = loadTypeScript('data/tables/columns.ts');
const { openData } = loadTypeScript('data/sets/open.ts');
const { readInstances } = loadTypeScript('data/sets/read.ts');
const { installReaders } = loadTypeScript('test/parts/readers.ts');

const rows = await makeInstances(count);
const file = join(makeFolder(), 'test.parquet');
const write = await medianMs(() => writeParquet(file, INSTANCE_COLUMNS, rows));
const read = await medianMs(async () => {
  const dataSet = await openData(file, { report: () => undefined, environment: process.env });
  let done = 0;
  for await (const _ of readInstances(dataSet)) done += 1;
  if (done !== count) throw new Error(`${done} of ${count} rows were read.`);
});

const other = join(makeFolder(), 'test.parquet');
const python = `
import json, statistics, sys, time
import pyarrow as pa, pyarrow.parquet as pq
lines, ours, other, repeats = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
rows = [json.loads(line) for line in open(lines, encoding='utf8')]
schema = pq.read_schema(ours).remove_metadata()
def write():
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), other, compression='zstd', row_group_size=100, write_page_index=True)
def read():
    pq.read_table(ours).to_pylist()
def median(action):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000
print(json.dumps({'write': median(write), 'read': median(read)}))
`;
const options = ['-c', python, writeJsonLines(rows), file, other, `${repeats}`];
const pyarrow = JSON.parse(
  execFileSync(
    await installReaders((line) =>
      process.stderr.write(`${line}
`),
    ),
    options,
    { encoding: 'utf8' },
  ),
);

printTable(title, [
  {
    '': 'write',
    ...row(write, pyarrow.write),
    'size, MB': megabytes(file),
    'by pyarrow, MB': megabytes(other),
  },
  { '': 'read and check', ...row(read, pyarrow.read) },
]);

function row(cupid, byPyarrow) {
  return { 'cupid, ms': cupid, 'pyarrow, ms': byPyarrow, ratio: cupid / byPyarrow };
}

function megabytes(path) {
  return statSync(path).size / 1e6;
}

async function medianMs(action) {
  const times = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const start = performance.now();
    await action();
    times.push(performance.now() - start);
  }
  return median(times);
}
