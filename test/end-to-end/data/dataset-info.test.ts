import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { writeArrow } from '../../../data/tables/arrow';
import { renderCard } from '../../../data/card/render';
import { withFiles } from '../../../data/card/dataset-info';
import { type Columns, INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import type { PersonaRecord } from '../../../schemas/dataset/record';
import { buildCardFacts } from '../../unit/data/card/card-facts';
import { needing } from '../../parts/needing';
import { OLD_VERSIONS } from '../../parts/readers';
import { type DatasetsVersion, readFolder, readInfos } from '../../readers/readers';
import { buildInstanceRow, buildNumbered, recordRow } from '../../unit/data/tables/rows';
import { createEmptiedFolder } from '../../temporary-folder';

const withReaders = needing('readers');
const withOldReaders = needing('old-readers');

// An absent resource is null in the file, as in every row of a table.
const records = buildNumbered(101, recordRow).map((record) => ({
  ...record,
  sessions: record.sessions.map((session) => ({ resource: null, ...session })),
}));

const BARE: PersonaRecord = {
  ...recordRow(3),
  context_factors: [],
  sessions: recordRow(3).sessions.map(({ resource: _absent, ...session }) => ({ ...session, checklist: [] })),
  interactions: [],
};

const GAPS = [
  { ...recordRow(1), persona: null },
  { ...recordRow(2), context_factors: null, sessions: [], interactions: [null] },
  {
    ...recordRow(3),
    sessions: null,
    interactions: [
      { session_id: null, preference: null, checklist: null, chat: null, is_satisfied: null },
      {
        session_id: 2,
        preference: '',
        checklist: [],
        chat: [null, { role: 'user', content: null }],
        is_satisfied: true,
      },
    ],
  },
];

describe('the folder that was written is loaded by its card, with the rows that were written', () => {
  const folder = createEmptiedFolder();

  withReaders.test('as instances, with an Arrow file beside them', () => expectInstances());
  withOldReaders.test.each(OLD_VERSIONS)('as instances, by datasets %s', (version) =>
    expectInstances(version),
  );
  withReaders.test('as records', () => expectRecords());
  withOldReaders.test.each(OLD_VERSIONS)('as records, by datasets %s', (version) => expectRecords(version));

  async function expectInstances(version?: DatasetsVersion): Promise<void> {
    const rows = buildNumbered(101, buildInstanceRow);
    const files = await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, rows);
    await writeArrow(join(folder, 'test.arrow'), INSTANCE_COLUMNS, rows);
    const card = renderCard(buildCardFacts({ files: { path: 'test.parquet', ...files } }));
    await writeFile(join(folder, 'README.md'), card);
    const loaded = await readFolder(folder, version);
    expect(loaded.rows).toEqual(rows);
    expect(loaded.info).toMatchObject(front(card).dataset_info);
  }

  async function expectRecords(version?: DatasetsVersion): Promise<void> {
    const files = await writeParquet(
      join(folder, 'test.parquet'),
      RECORD_COLUMNS,
      buildNumbered(101, recordRow),
    );
    const card = renderCard(
      buildCardFacts({ dataSet: 'CUPID-Raw', files: { path: 'test.parquet', ...files } }),
    );
    await writeFile(join(folder, 'README.md'), card);
    const loaded = await readFolder(folder, version);
    expect(loaded.rows).toEqual(records);
    expect(loaded.info).toMatchObject(front(card).dataset_info);
  }
});

withReaders.describe("the card's dataset_info is what current datasets computes without it", () => {
  const cases: readonly { of: string; write: (folder: string) => Promise<string> }[] = [
    { of: 'one instance', write: shards(INSTANCE_COLUMNS, [[buildInstanceRow(5)]]) },
    { of: 'a whole batch of instances', write: shards(INSTANCE_COLUMNS, [small(100)]) },
    { of: 'more than a thousand instances', write: shards(INSTANCE_COLUMNS, [small(1001)]) },
    {
      of: 'shards of instances, one of a single row',
      write: shards(INSTANCE_COLUMNS, [small(250), small(1), small(101)]),
    },
    {
      of: 'records with every kind of text, and none',
      write: shards(RECORD_COLUMNS, [buildNumbered(101, recordRow)]),
    },
    { of: 'records with empty lists alone', write: shards(RECORD_COLUMNS, [buildNumbered(9, () => BARE)]) },
    { of: 'rows without values at any depth', write: shards(RECORD_COLUMNS, [GAPS]) },
    { of: 'instances as Arrow', write: arrow(INSTANCE_COLUMNS, small(250)) },
    { of: 'records as Arrow', write: arrow(RECORD_COLUMNS, buildNumbered(101, recordRow)) },
  ];

  const written = new Map<string, { card: unknown; computed: unknown }>();
  beforeAll(async () => {
    const top = await mkdtemp(join(tmpdir(), 'cupid-dataset-info-'));
    const made: { of: string; at: string; card: string }[] = [];
    for (const [index, { of, write }] of cases.entries()) {
      const at = join(top, String(index));
      const card = await write(at);
      // Which files they are, and nothing else, is what the card says here.
      await writeFile(join(at, 'README.md'), `---\n${stringify({ configs: front(card).configs })}---\n`);
      made.push({ of, at, card });
    }
    const infos = await readInfos(made.map(({ at }) => at));
    for (const [index, { of, card }] of made.entries()) {
      const { config_name: _default, ...computed } = infos[index] ?? {};
      written.set(of, { card: front(card).dataset_info, computed });
    }
    await rm(top, { recursive: true });
  });

  test.each(cases)('of $of', ({ of }) => {
    const { card, computed } = written.get(of) ?? {};
    expect(card).toHaveProperty('dataset_size');
    expect(card).toEqual(computed);
  });
});

/** Builds rows that leave out the longest text, because a thousand of it would be a hundred megabytes. */
function small(rows: number) {
  return buildNumbered(rows, (number) => buildInstanceRow(number % 6));
}

/** Writes shards by the Hub's conventions, and gives their card. */
function shards<Row extends object>(columns: Columns<Row>, parts: readonly (readonly Row[])[]) {
  return async (at: string) => {
    const files = { rows: 0, bytes: 0, memoryBytes: 0 };
    for (const [index, rows] of parts.entries()) {
      const name = `test-0000${index}-of-0000${parts.length}.parquet`;
      const { rows: count, bytes, memoryBytes } = await writeParquet(join(at, 'data', name), columns, rows);
      files.rows += count;
      files.bytes += bytes;
      files.memoryBytes += memoryBytes;
    }
    return withFiles('', columns, { path: 'data/test-*', ...files });
  };
}

function arrow<Row extends object>(columns: Columns<Row>, rows: readonly Row[]) {
  return async (at: string) => {
    const files = await writeArrow(join(at, 'test.arrow'), columns, rows);
    return withFiles('', columns, { path: 'test.arrow', ...files });
  };
}

function front(card: string): { configs: unknown; dataset_info: Record<string, unknown> } {
  return z
    .object({ configs: z.unknown(), dataset_info: z.record(z.string(), z.unknown()) })
    .parse(parse(card.split('---\n')[1] ?? ''));
}
