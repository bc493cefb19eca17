import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EVALUATION_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { exportData } from '../../../publishing/export';
import { createEmptiedFolder } from '../../temporary-folder';
import { buildFullResults } from '../evaluation-results';
import { AROUND } from './edge-data';

const folder = createEmptiedFolder();

const detailsSchema = z.record(z.string(), z.string());
const infoSchema = z.object({ additional_details: detailsSchema });
const recordSchema = z.object({
  model_info: infoSchema,
  evaluation_results: z.array(
    z.object({
      evaluation_result_id: z.string(),
      metric_config: z.object({
        llm_scoring: z
          .object({
            judges: z.array(z.object({ model_info: infoSchema })),
            additional_details: detailsSchema,
          })
          .optional(),
      }),
    }),
  ),
});

test('a record names the models that answered under one name, and what the stress test found of a judge', async () => {
  const full = buildFullResults();
  const share = { share: 0.25, count: 2, total: 8, interval: { low: 0.1, high: 0.5 } };
  const cells = full.cells.map(({ shared_names: names = [], evaluator_errors: _errors, ...cell }) => ({
    ...cell,
    ...(cell.task === 'generation' && {
      evaluator_errors: { false_acceptance_rate: share, false_rejection_rate: null },
    }),
    shared_names:
      cell.model === 'simulated:a' ? names.map((name) => ({ ...name, role: 'model' as const })) : [],
  }));
  writeFileSync(join(folder, 'results.json'), JSON.stringify({ ...full, cells }));
  await writeParquet(join(folder, 'results.parquet'), EVALUATION_COLUMNS, []);
  const out = join(folder, 'out');
  const { parts } = await exportData(folder, { format: 'every-eval-ever', outputDir: out }, AROUND);
  const records = parts
    .filter(({ path }) => path.endsWith('.json'))
    .map(({ path }) => recordSchema.parse(JSON.parse(readFileSync(join(out, path), 'utf8'))));
  expect(records.map(({ model_info: info }) => info.additional_details['answered_by'])).toEqual([
    'a-2026, b-2026',
    undefined,
    undefined,
  ]);
  const scorings = records.flatMap(({ evaluation_results: results }) =>
    results.flatMap(({ evaluation_result_id: id, metric_config: { llm_scoring: scoring } }) =>
      scoring === undefined ? [] : [{ task: id.split('/')[0], details: scoring.additional_details }],
    ),
  );
  const generations = scorings.filter(({ task }) => task === 'generation');
  expect(generations.length).toBeGreaterThan(0);
  for (const { details } of generations)
    expect(details).toMatchObject({ stress_false_acceptance_rate: '0.2500' });
  expect(scorings.filter(({ details }) => details['stress_false_rejection_rate'] !== undefined)).toEqual([]);
  expect(scorings.find(({ task }) => task === 'inference')?.details).not.toHaveProperty(
    'stress_false_acceptance_rate',
  );
});
