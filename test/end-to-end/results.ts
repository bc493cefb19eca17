import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm/node';
import * as z from 'zod';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { evaluationRowSchema, type EvaluationRow } from '../../schemas/evaluation/evaluation';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';

/** Writes a data set to be evaluated on: three instances for each persona, as the simulated model makes them. */
export async function writeInstances(file: string, personas: number): Promise<void> {
  await writeParquet(file, INSTANCE_COLUMNS, await synthesizeInstances(openSimulated(), personas));
}

/** Computes the SHA-256 of the files of an evaluation's results whose bytes depend only on the answers. */
export async function hashResults(resultsFolder: string): Promise<Record<string, string>> {
  const inner = await readdir(join(resultsFolder, 'instances'), { recursive: true, withFileTypes: true });
  const instances = inner
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(resultsFolder.length + 1))
    .toSorted();
  const files = ['results.json', 'results.parquet', 'results.txt', ...instances];
  const hashes = files.map(async (file) => {
    const bytes = await readFile(join(resultsFolder, file));
    return [file, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** Reads the rows of an evaluation, by their keys. */
export async function readResultRows(resultsFolder: string): Promise<Map<string, EvaluationRow>> {
  const bytes = await readFile(join(resultsFolder, 'results.parquet'));
  const arrow = tableFromIPC(readParquet(bytes).intoIPCStream()).toArray();
  const rows = z.array(evaluationRowSchema).parse(JSON.parse(JSON.stringify(arrow, plain)));
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function keyOf(row: EvaluationRow): string {
  const { persona_id, instance_type, task, model: tested, context } = row;
  const { evaluator, evaluator_form, decomposer } = row;
  return [persona_id, instance_type, task, tested, context, evaluator, evaluator_form, decomposer].join(' ');
}

// Whole numbers come as 64 bits.
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
