import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasFolder } from '../folders/folder';
import { findRunFolderAbove } from '../folders/run-folders';
import type { EvaluationResults } from '../../schemas/evaluation/results';
import type { DataSet } from './data-set';
import { readEvaluationResults } from './results';

/**
 * Finds the evaluations of this data whose results are in its run's folder, by the names of their folders. Leaves out those of other data, and
 * simulated ones of real data, because their results mean nothing.
 * @throws DataError when results cannot be used
 */
export async function findEvaluations(dataSet: DataSet): Promise<EvaluationResults[]> {
  const parent = findRunFolderAbove(dataSet.argument) ?? dataSet.argument;
  if (!(await hasFolder(parent))) return [];
  const entries = await readdir(parent, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const evaluations: EvaluationResults[] = [];
  for (const name of names.toSorted()) {
    const results = await readEvaluationResults(join(parent, name));
    if (results?.data.sha256 !== dataSet.sha256) continue;
    if (!results.simulated || dataSet.simulated === true) evaluations.push(results);
  }
  return evaluations;
}
