import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeArrow } from '../../../../data/tables/arrow';
import { RowError } from '../../../../data/tables/batches';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import type { Instance } from '../../../../schemas/dataset/instance';
import { stream } from '../sets/instances';
import { buildInstanceRow, buildNumbered, buildProvenanceRow } from './rows';
import { createEmptiedFolder } from '../../../temporary-folder';

const folder = createEmptiedFolder();

describe.each([
  ['Parquet', writeParquet],
  ['Arrow', writeArrow],
])('%s', (_name, write) => {
  test('the same rows give the same bytes, whether they come at once or one by one', async () => {
    const rows = buildNumbered(230, buildInstanceRow);
    const marks = { simulated: true, canary: '0f1e2d3c-4b5a-8697-8877-665544332211' };
    const first = await write(join(folder, 'first'), INSTANCE_COLUMNS, rows, marks);
    const second = await write(join(folder, 'second'), INSTANCE_COLUMNS, stream(rows), marks);
    expect(second).toEqual(first);
    expect(await same(join(folder, 'second'), join(folder, 'first'))).toBe(true);
  });

  test('rows, bytes and sha256 are those of the file', async () => {
    const file = join(folder, 'file');
    const written = await write(file, INSTANCE_COLUMNS, buildNumbered(101, buildInstanceRow));
    const content = await readFile(file);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(written).toMatchObject({ rows: 101, bytes: content.length, sha256 });
  });

  test.each([0, 1, 150, 299])(
    'rows that fail after %i leave no file, with their own error',
    async (count) => {
      await expect(write(join(folder, 'file'), INSTANCE_COLUMNS, failingAfter(count))).rejects.toThrow(
        'lost the store',
      );
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test('rows that fail half-way leave the old file as it was', async () => {
    const file = join(folder, 'file');
    await write(file, INSTANCE_COLUMNS, buildNumbered(5, buildInstanceRow));
    const before = await readFile(file);
    await expect(write(file, INSTANCE_COLUMNS, failingAfter(250))).rejects.toThrow('lost the store');
    expect(await readdir(folder)).toEqual(['file']);
    expect(before.equals(await readFile(file))).toBe(true);
  });

  test('a new file takes the place of the old one', async () => {
    const file = join(folder, 'file');
    await write(file, INSTANCE_COLUMNS, buildNumbered(5, buildInstanceRow));
    const { bytes } = await write(file, INSTANCE_COLUMNS, []);
    expect(await readFile(file)).toHaveLength(bytes);
  });

  test('half of a surrogate pair is refused by row and column, wherever it stands', async () => {
    const broken: Instance = {
      ...buildInstanceRow(7),
      prior_interactions: [
        { context_factor: '', contextual_preference: '', dialogue: [] },
        {
          context_factor: '',
          contextual_preference: '',
          dialogue: [
            { role: 'user', content: '😀' },
            { role: 'assistant', content: 'cut \ud83d' },
          ],
        },
      ],
    };
    const rows = [...buildNumbered(120, buildInstanceRow), broken];
    const writing = write(join(folder, 'file'), INSTANCE_COLUMNS, rows);
    await expect(writing).rejects.toThrow(RowError);
    await expect(writing).rejects.toThrow(
      'Row 121 (7+real_estate_developer), column prior_interactions[1].dialogue[1].content: half of a surrogate pair at position 5',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test('a number that is not whole is refused by row and column', async () => {
    const rows = [buildProvenanceRow(0), { ...buildProvenanceRow(1), prior_sessions: [1, 2.5] }];
    await expect(write(join(folder, 'file'), PROVENANCE_COLUMNS, rows)).rejects.toThrow(
      'Row 2 (1+baker), column prior_sessions[1]: expected a whole number, found 2.5.',
    );
  });
});

async function same(file: string, other: string): Promise<boolean> {
  return (await readFile(file)).equals(await readFile(other));
}

function* failingAfter(count: number): Generator<Instance> {
  yield* buildNumbered(count, buildInstanceRow);
  throw new Error('lost the store');
}
