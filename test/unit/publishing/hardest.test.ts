import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTableRows } from '../../../data/readers/table';
import { openData } from '../../../data/sets/open';
import { readInstances, readRecords } from '../../../data/sets/read';
import { DataError } from '../../../data/store/data-error';
import { EVALUATION_COLUMNS, PROVENANCE_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { exportData } from '../../../publishing/export';
import type { EvaluationRow } from '../../../schemas/evaluation/evaluation';
import { createTemporaryFolder } from '../../temporary-folder';
import { collect } from '../data/sets/instances';
import { buildProvenanceRow } from '../data/tables/rows';
import { buildInferenceRow } from '../rules/scores/rows';
import { AROUND, writeRun } from './edge-data';
import { buildSoundInstances, buildSoundRecords } from './sound-data';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
const RECORDS = buildSoundRecords(3);
const INSTANCES = buildSoundInstances(3);
const [FIRST, SECOND, THIRD] = RECORDS.map(({ persona_id: id }) => id);

beforeAll(async () => {
  await writeRun(run, RECORDS);
  const provenance = INSTANCES.map(({ persona_id, instance_type }, number) => ({
    ...buildProvenanceRow(number),
    persona_id,
    instance_type,
  }));
  await writeParquet(join(run, 'provenance.parquet'), PROVENANCE_COLUMNS, provenance);
});

let made = 0;
async function exportHardest(data: string, count: number, rows: readonly Partial<EvaluationRow>[] = SCORES) {
  made += 1;
  const results = join(folder, `results-${made}`);
  const outputDir = join(folder, `out-${made}`);
  await writeParquet(
    join(results, 'results.parquet'),
    EVALUATION_COLUMNS,
    rows.map((row) => ({ ...ROW, ...row })),
  );
  const report = await exportData(
    data,
    { format: 'parquet', outputDir, hardest: { count, results } },
    AROUND,
  );
  return { report, outputDir, card: readFileSync(join(outputDir, 'README.md'), 'utf8') };
}

const ROW: EvaluationRow = {
  ...buildInferenceRow({ state: 'scored' }),
  missing_cause: null,
  options: null,
  memory_context: null,
  inferred_preference: null,
  inferred_checklist: null,
  true_preference: '',
  true_checklist: [],
  current_request: '',
  response: null,
  analysis: null,
  answered_by: [],
  simulated: false,
};

const SCORES = [
  { persona_id: FIRST ?? '', f1: 0.9 },
  { persona_id: SECOND ?? '', f1: 0.1 },
  { persona_id: THIRD ?? '', f1: 0.2, model: 'openai:other' },
  { persona_id: THIRD ?? '', f1: 0.4 },
  // Neither of these is an inference from the full history, with a score.
  { persona_id: FIRST ?? '', f1: 0, context: 'oracle' as const },
  { persona_id: FIRST ?? '', f1: null, score: 1, task: 'generation' as const },
  { persona_id: FIRST ?? '', f1: null, state: 'missing' as const },
];

test('the records of the hardest personas are exported in their order, and the card says by what they were selected', async () => {
  const { report, outputDir, card } = await exportHardest(join(run, 'CUPID-Raw'), 2);
  expect(report).toMatchObject({
    records: 2,
    notes: [expect.stringContaining('These are the 2 personas of 3')],
  });
  const dataSet = await openData(outputDir, AROUND);
  const found = await collect(readRecords(dataSet));
  expect(found.map(({ persona_id: id }) => id)).toEqual([SECOND, THIRD]);
  expect(card).toContain(
    '## Selection\n\nThese are the 2 personas of 3 with scores whose preferences were hardest to infer: the mean F1 of their instances over the ' +
      'evaluated models (openai:one, openai:other, with context full) is lowest, at most 30.0 (paper, F.5). How often the scores are wrong is unknown: the evaluators had no stress test.',
  );
});

test('of instances, the provenance goes with those that are exported', async () => {
  const { outputDir } = await exportHardest(join(run, 'CUPID-Unverified'), 1);
  const instances = await collect(readInstances(await openData(outputDir, AROUND)));
  expect(instances.map(({ persona_id: id }) => id)).toEqual([SECOND, SECOND, SECOND]);
  const path = join(outputDir, 'provenance.parquet');
  const rows = await collect(readTableRows({ path, name: path }, ['persona_id']));
  expect(rows.map(({ value }) => value)).toEqual(instances.map(({ persona_id }) => ({ persona_id })));
});

test.each([
  [4, SCORES, 'for 3 personas, but --hardest asks for 4. Use --hardest 3 or less.'],
  [
    1,
    SCORES.slice(4),
    'for 0 personas, but --hardest asks for 1. Name the results of cupid eval with --task inference',
  ],
  [1, [{ persona_id: '9+other', f1: 0 }], 'lacks 1 persona of the results, such as 9+other.'],
])('%i personas of results that cannot give them are refused', async (count, rows, says) => {
  const exporting = exportHardest(join(run, 'CUPID-Raw'), count, rows);
  await expect(exporting).rejects.toThrow(DataError);
  await expect(exporting).rejects.toThrow(says);
});

test('a folder without results is refused', async () => {
  const hardest = { count: 1, results: run };
  const request = { format: 'parquet' as const, outputDir: join(folder, 'none'), hardest };
  await expect(exportData(join(run, 'CUPID-Raw'), request, AROUND)).rejects.toThrow(
    `${run} is not a results folder: it has no results.parquet.`,
  );
});
