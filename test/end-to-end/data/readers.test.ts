import { join } from 'node:path';
import { writeArrow } from '../../../data/tables/arrow';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import type { Message } from '../../../schemas/dataset/message';
import type { Interaction, PersonaRecord } from '../../../schemas/dataset/record';
import { needing } from '../../parts/needing';
import { MESSAGE_TYPE, PUBLISHED, readWithAllReaders } from '../../readers/readers';
import { buildInstanceRow, buildNumbered, buildProvenanceRow, recordRow } from '../../unit/data/tables/rows';
import { createTemporaryFolder } from '../../temporary-folder';

const { describe, test } = needing('readers');

// Written out, as the published columns are.
const RECORD = [
  'persona_id: string',
  'persona: struct<id: int64, seed: string, career_level: string, personality_traits: list<string>, personal_values: list<string>, decision_making_styles: string, description: string, occupation: string>',
  'context_factors: list<struct<factor_type: string, background: string, factor: string, task_types: list<string>, preference_type: string, preference: string, related_factor: string>>',
  'sessions: list<struct<id: int64, context_factor: string, preference: string, task_type: string, story: string, request_with_factor_and_preference: string, request_with_factor: string, resource: string, checklist: list<string>>>',
  `interactions: list<struct<session_id: int64, preference: string, checklist: list<string>, chat: list<${MESSAGE_TYPE}>, is_satisfied: bool>>`,
];
const PROVENANCE = [
  'persona_id: string',
  'instance_type: string',
  'run: string',
  'workflow_id: string',
  'simulated: bool',
  'seed: int64',
  'seed_sentence: string',
  'prior_sessions: list<int64>',
  'unsatisfied_sessions: list<int64>',
  'disagreements: int64',
  'synthesis_model: string',
  'user_model: string',
  'assistant_model: string',
  'answered_by: list<string>',
  'prompts_hash: string',
  'code_version: string',
  'calls: int64',
  'bad_answers: int64',
  'separated_answers: int64',
  'input_tokens: int64',
  'output_tokens: int64',
];

const folder = createTemporaryFolder();

describe('every reader gets the rows that were written, under the published columns', () => {
  const instances = buildNumbered(250, buildInstanceRow);
  const records = buildNumbered(101, recordRow);
  const sources = buildNumbered(120, buildProvenanceRow);
  // An absent resource is null in the file, as in every row of a table.
  const recordsAsRead = records.map((record) => ({
    ...record,
    sessions: record.sessions.map((session) => ({ resource: null, ...session })),
  }));

  test.each([
    ['instances', PUBLISHED, instances, (file: string) => writeParquet(file, INSTANCE_COLUMNS, instances)],
    ['records', RECORD, recordsAsRead, (file: string) => writeParquet(file, RECORD_COLUMNS, records)],
    ['provenance', PROVENANCE, sources, (file: string) => writeParquet(file, PROVENANCE_COLUMNS, sources)],
  ])('%s as Parquet', async (name, columns, rows, write) => {
    const file = join(folder, `${name}.parquet`);
    expect(await write(file)).toMatchObject({ rows: rows.length });
    const readings = await readWithAllReaders(file);
    expect(Object.keys(readings).toSorted()).toEqual(['datasets', 'duckdb', 'polars', 'pyarrow']);
    for (const reading of Object.values(readings)) {
      expect(reading.columns).toEqual(columns);
      expect(reading.rows).toEqual(rows);
    }
    expect(readings['pyarrow']?.layout).toEqual({
      row_groups: [...Array.from({ length: Math.floor(rows.length / 100) }, () => 100), rows.length % 100],
      compression: ['ZSTD'],
      page_index: true,
    });
  });

  test.each([
    ['instances', PUBLISHED, instances, (file: string) => writeArrow(file, INSTANCE_COLUMNS, instances)],
    ['records', RECORD, recordsAsRead, (file: string) => writeArrow(file, RECORD_COLUMNS, records)],
    ['provenance', PROVENANCE, sources, (file: string) => writeArrow(file, PROVENANCE_COLUMNS, sources)],
  ])('%s as Arrow', async (name, columns, rows, write) => {
    const file = join(folder, `${name}.arrow`);
    expect(await write(file)).toMatchObject({ rows: rows.length });
    const readings = await readWithAllReaders(file);
    expect(Object.keys(readings).toSorted()).toEqual(['datasets', 'polars', 'pyarrow']);
    for (const reading of Object.values(readings)) {
      expect(reading.columns).toEqual(columns);
      expect(reading.rows).toEqual(rows);
    }
  });
});

test('what is missing at any depth is null in every reader, not empty', async () => {
  const gaps: Gaps[] = [
    { ...recordRow(1), persona: null },
    { ...recordRow(2), context_factors: null, sessions: [], interactions: [null] },
    {
      ...recordRow(3),
      sessions: null,
      interactions: [
        {
          session_id: 1,
          preference: '',
          checklist: null,
          chat: [{ role: 'assistant', content: null }, null],
          is_satisfied: null,
        },
      ],
    },
  ];
  const file = join(folder, 'gaps.parquet');
  await writeParquet(file, RECORD_COLUMNS, gaps);
  const readings = await readWithAllReaders(file);
  const asRead = gaps.map((row) => ({
    ...row,
    sessions: row.sessions?.map((session) => ({ resource: null, ...session })) ?? null,
  }));
  expect(Object.keys(readings)).toHaveLength(4);
  for (const reading of Object.values(readings)) expect(reading.rows).toEqual(asRead);
});

type Gaps = Pick<PersonaRecord, 'persona_id'> & {
  [Name in 'persona' | 'context_factors' | 'sessions']: PersonaRecord[Name] | null;
} & {
  interactions: ((Nullable<Omit<Interaction, 'chat'>> & { chat: (Nullable<Message> | null)[] }) | null)[];
};
type Nullable<T> = { [Name in keyof T]: T[Name] | null };
