import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { wasmMemory } from 'parquet-wasm/node';
import { readInstances } from '../../../data/sets/read';
import { openData } from '../../../data/sets/open';
import { writeArrow } from '../../../data/tables/arrow';
import { INSTANCE_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import type { Instance } from '../../../schemas/dataset/instance';
import { createTemporaryFolder } from '../../temporary-folder';
import { buildInstanceRow, buildSoundInstance } from '../../unit/data/tables/rows';

const folder = createTemporaryFolder();

describe.each([
  ['Parquet', 'test.parquet', writeParquet],
  ['Arrow', 'test.arrow', writeArrow],
])('memory holds a batch, not the data set: %s', (_form, name, write) => {
  test('written', async () => {
    const few = await memoryOfWriting(write, 300);
    const many = await memoryOfWriting(write, 3000);
    // 2,700 rows more hold 54 MB of text: kept, they would be seen.
    expect(many - few).toBeLessThan(27e6);
  });

  test('read', async () => {
    const few = await memoryOfReading(name, write, 300);
    const many = await memoryOfReading(name, write, 3000);
    // 2,700 rows more hold 108 MB of text: kept, they would be seen, whatever the decoders have not let go of yet.
    expect(many - few).toBeLessThan(80e6);
  });
});

type Write = typeof writeParquet | typeof writeArrow;

/** Measures the most bytes in use while this many rows are written, each time after garbage collection. */
async function memoryOfWriting(write: Write, count: number): Promise<number> {
  let most = 0;
  async function* rows(): AsyncGenerator<Instance> {
    for (let number = 0; number < count; number += 1) {
      yield bigRow(number);
      if (number % 100 === 99) {
        collectGarbage();
        const { heapUsed, external } = process.memoryUsage();
        most = Math.max(most, heapUsed + external + wasmMemory().buffer.byteLength);
      }
    }
  }
  await write(join(folder, `rows-${count}`), INSTANCE_COLUMNS, rows());
  return most;
}

/** Builds a row with 20,000 letters that no codec compresses much. */
function bigRow(number: number): Instance {
  const blocks = Array.from({ length: 312 }, (_, block) =>
    createHash('sha256').update(`${number} ${block}`).digest('hex'),
  );
  return { ...buildInstanceRow(0), persona_id: String(number), current_request: blocks.join(' ') };
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Measures the most bytes in use while this many rows are read, each time after garbage collection. */
async function memoryOfReading(name: string, write: typeof writeParquet, count: number): Promise<number> {
  function* rows(): Generator<Instance> {
    for (let number = 0; number < count; number += 1) {
      // Each row has its own text, as a dictionary would store a common one once.
      yield {
        ...buildSoundInstance(0),
        persona_id: String(number),
        current_request: String(number).padStart(10, '0').repeat(4000),
      };
    }
  }
  await write(join(folder, name), INSTANCE_COLUMNS, rows());
  const dataSet = await openData(join(folder, name), { report: () => undefined, environment: {} });
  let most = 0;
  let seen = 0;
  for await (const row of readInstances(dataSet)) {
    seen += row.persona_id === String(seen) ? 1 : 0;
    if (seen % 100 === 99) {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      most = Math.max(most, heapUsed + external);
    }
  }
  expect(seen).toBe(count);
  return most;
}
