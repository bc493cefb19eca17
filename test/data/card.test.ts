import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { writeArrow } from '../../data/arrow';
import { type CardFacts, renderCard } from '../../data/card';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../data/columns';
import { writeParquet } from '../../data/parquet';
import { synthesisSettingsSchema } from '../../schemas/settings';
import { readFolder, READERS_TIMEOUT, readWithAllReaders } from './readers';
import { instanceRow, numbered, recordRow } from './rows';

jest.setTimeout(READERS_TIMEOUT);

function facts(changes: Partial<CardFacts> = {}): CardFacts {
  return {
    dataSet: 'CUPID-Unverified',
    rows: 756,
    bytes: 123_456,
    simulated: false,
    settings: synthesisSettingsSchema.parse({
      seed: 7,
      nPersonas: 252,
      models: {
        synthesis: 'openai:gpt-4o-2024-11-20',
        user: 'openai:gpt-4o-2024-11-20',
        assistant: 'openai-compatible:llama|small@http://inside.example:8000/v1',
      },
    }),
    otherModels: [],
    answeredBy: ['gpt-4o-2024-11-20', 'llama'],
    seeds: { origin: 'built-in', count: 1380 },
    prompts: { source: 'built-in', hash: 'f00d' },
    codeVersion: '0.1.0',
    statistics: {
      personas: 252,
      instances: 756,
      meanChecklistItems: 2.904,
      meanUserTurns: undefined,
      meanMessages: 12.5,
      unsatisfiedDialogues: 3,
      dialogues: 3024,
    },
    ...changes,
  };
}

function frontMatter(card: string): Record<string, unknown> {
  const [, front] = card.split('---\n');
  return z.record(z.string(), z.unknown()).parse(parse(front ?? ''));
}

function licenseOf(changes: Partial<CardFacts>): unknown {
  return frontMatter(renderCard(facts(changes)))['license'];
}

/** The first line under the title. */
function firstLine(card: string): string | undefined {
  const lines = card.split('\n').filter((line) => line !== '');
  return lines[lines.findIndex((line) => line.startsWith('# ')) + 1];
}

test('simulated data says so in the first line under its title, in its tags and limits; other data does not', () => {
  const simulated = renderCard(facts({ simulated: true }));
  expect(firstLine(simulated)).toMatch(/^\*\*Simulated data/);
  expect(frontMatter(simulated)['tags']).toContain('simulated');
  const written = renderCard(facts());
  expect(firstLine(written)).toMatch(/^Synthetic data, written by language models/);
  expect(frontMatter(written)['tags']).not.toContain('simulated');
  expect(written).not.toContain('imulated data');
});

test("the licence follows the seeds: PersonaHub's bind, others do not, the user's own word goes first", () => {
  expect(licenseOf({ seeds: { origin: 'personahub', count: 1 } })).toBe('cc-by-nc-sa-4.0');
  expect(licenseOf({ seeds: { origin: 'built-in', count: 1 } })).toBe('cc-by-4.0');
  expect(licenseOf({ seeds: { origin: 'file', count: 1 } })).toBe('cc-by-4.0');
  expect(licenseOf({ seeds: { origin: 'personahub', count: 1 }, license: 'cc0-1.0' })).toBe('cc0-1.0');
});

test.each([
  [0, 'n<1K'],
  [999, 'n<1K'],
  [1000, '1K<n<10K'],
  [9999, '1K<n<10K'],
  [10_000, '10K<n<100K'],
  [100_000, '100K<n<1M'],
  [1_000_000, '1M<n<10M'],
])('%i rows are of the size %s', (rows, size) => {
  expect(frontMatter(renderCard(facts({ rows })))['size_categories']).toEqual([size]);
});

test('tells how the data was made, in what form and how much of it, and whom to cite', () => {
  const card = renderCard(facts());
  for (const part of [
    '`openai:gpt-4o-2024-11-20`',
    'Seed of every random choice: 7.',
    'Personas asked for: 252; context factors each: 8; sessions each: 13; at most 16 user messages',
    'SHA-256 `f00d`',
    'Version of the code: `0.1.0`',
    '| Personas | 252 |',
    '| Instances | 756 |',
    '| Checklist items per preference, mean | 2.90 |',
    '| User turns per dialogue, mean | unknown |',
    '| Messages per dialogue, mean | 12.50 |',
    '| Dialogues that ended with a dissatisfied user | 3 of 3024 |',
    '| `current_checklist` | list of string |',
    '2508.01674',
    'COLM 2025',
  ]) {
    expect(card).toContain(part);
  }
  expect(frontMatter(card)).toMatchObject({
    language: ['en'],
    task_categories: ['text-generation'],
    configs: [{ config_name: 'default', data_files: [{ split: 'test', path: 'test.parquet' }] }],
  });
});

test('every column has a meaning', () => {
  for (const dataSet of ['CUPID-Unverified', 'CUPID-Raw'] as const) {
    const rows = renderCard(facts({ dataSet }))
      .split('## Columns\n')[1]
      ?.split('\n## ')[0]
      ?.match(/^\| `.*$/gm);
    expect(rows).toHaveLength(dataSet === 'CUPID-Raw' ? 5 : 7);
    for (const row of rows ?? []) expect(row).toMatch(/^\| `\w+` \| [^|]+ \| [^|]{10,} \|$/);
  }
});

test("an endpoint's address stays out, and a name cannot break the table", () => {
  const card = renderCard(facts());
  expect(card).not.toMatch(/inside\.example/);
  expect(card).toContain('| `openai-compatible:llama small` |');
});

test('a message that was put before the simulated user is told, and otherwise not spoken of', () => {
  expect(renderCard(facts({ opening: 'Please begin.' }))).toContain('“Please begin.” was put before them');
  expect(renderCard(facts())).not.toContain('put before them');
});

test('the same facts give the same card', () => {
  expect(renderCard(facts())).toBe(renderCard(facts()));
});

describe('`datasets` loads the folder by its card, with the columns of the file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cupid-card-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('CUPID-Unverified, with the Arrow file beside it', async () => {
    const rows = numbered(101, instanceRow);
    const file = join(folder, 'test.parquet');
    await writeParquet(file, INSTANCE_COLUMNS, rows);
    await writeArrow(join(folder, 'test.arrow'), INSTANCE_COLUMNS, rows);
    await writeFile(join(folder, 'README.md'), renderCard(facts({ rows: 101 })));
    const { columns, rows: loaded } = await readFolder(folder);
    expect(loaded).toEqual(rows);
    expect(columns).toEqual((await readWithAllReaders(file))['pyarrow']?.columns);
  });

  test('CUPID-Raw', async () => {
    const file = join(folder, 'test.parquet');
    await writeParquet(file, RECORD_COLUMNS, numbered(101, recordRow));
    await writeFile(join(folder, 'README.md'), renderCard(facts({ dataSet: 'CUPID-Raw', rows: 101 })));
    const { columns, rows } = await readFolder(folder);
    expect(rows).toHaveLength(101);
    expect(columns).toEqual((await readWithAllReaders(file))['pyarrow']?.columns);
  });
});
