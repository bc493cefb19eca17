import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { findResults } from '../../runs/evaluate/read-results';
import type { EvaluationResults } from '../../schemas/evaluation/results';
import type { Instance } from '../../schemas/dataset/instance';
import { evaluationRowSchema, type EvaluationRow } from '../../schemas/evaluation/evaluation';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';
import { hashFiles } from './command';
import { readRows } from './tables';

/** Writes a data set to be evaluated on, and returns it: three instances for each persona, as the simulated model makes them. */
export async function writeInstances(file: string, personas: number): Promise<Instance[]> {
  const instances = await synthesizeInstances(openSimulated(), personas);
  await writeParquet(file, INSTANCE_COLUMNS, instances);
  return instances;
}

/** Computes the SHA-256 of the files of an evaluation's results whose bytes depend only on the answers. */
export async function hashResults(resultsFolder: string): Promise<Record<string, string>> {
  const inner = await readdir(join(resultsFolder, 'instances'), { recursive: true, withFileTypes: true });
  const instances = inner
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(resultsFolder.length + 1))
    .toSorted();
  return hashFiles(resultsFolder, ['results.json', 'results.parquet', 'results.txt', ...instances]);
}

/** Reads `results.json`. */
export async function readResults(resultsFolder: string): Promise<EvaluationResults> {
  const found = await findResults(resultsFolder);
  if (found === undefined) throw new Error(`There are no results in ${resultsFolder}.`);
  // The schema drops fields that it does not know, so it has to know all that the program writes.
  expect(found.results).toEqual(JSON.parse(await readFile(join(resultsFolder, 'results.json'), 'utf8')));
  return found.results;
}

/** Reads the rows of an evaluation, by their keys. */
export async function readResultRows(resultsFolder: string): Promise<Map<string, EvaluationRow>> {
  const rows = await readRows(evaluationRowSchema, join(resultsFolder, 'results.parquet'));
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function keyOf(row: EvaluationRow): string {
  const { persona_id, instance_type, task, model: tested, context } = row;
  const { evaluator, evaluator_form, decomposer } = row;
  return [persona_id, instance_type, task, tested, context, evaluator, evaluator_form, decomposer].join(' ');
}
