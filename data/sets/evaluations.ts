import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasFolder } from '../folders/folder';
import { findRunFolderAbove } from '../folders/run-folders';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { DataError } from '../store/data-error';
import type { DataSet } from './data-set';
import { readEvaluationResults } from './results';

/**
 * Finds the evaluations of this data: those in the named folders, then those in its run's folder, by the names of their folders.
 * Leaves out results in the run's folder that are of other data, and simulated ones of real data, because they mean nothing here.
 * @throws DataError when results cannot be used, or named ones are such
 */
export async function findEvaluations(
  dataSet: DataSet,
  namedFolders: readonly string[] = [],
): Promise<EvaluationResults[]> {
  const evaluations: EvaluationResults[] = [];
  for (const folder of namedFolders) {
    const results = await readEvaluationResults(folder);
    const problem = results === undefined ? `has no ${RESULTS.summary}` : findProblem(results, dataSet);
    if (results === undefined || problem !== undefined) {
      throw new DataError(
        `${folder} ${problem}, so the card cannot use it. Name the --results-dir of a cupid eval of this data set, or leave it out.`,
      );
    }
    evaluations.push(results);
  }
  const namedPaths = new Set(namedFolders.map((folder) => resolve(folder)));
  for (const folder of await listRunSubfolders(dataSet)) {
    if (namedPaths.has(resolve(folder))) continue;
    const results = await readEvaluationResults(folder);
    if (results !== undefined && findProblem(results, dataSet) === undefined) evaluations.push(results);
  }
  return evaluations;
}

/** Finds why results say nothing about this data; undefined if they do. */
function findProblem({ data, simulated }: EvaluationResults, dataSet: DataSet): string | undefined {
  if (data.sha256 !== dataSet.sha256) return 'has results of other data, or of an earlier state of this data';
  return simulated && dataSet.simulated !== true
    ? 'has results of simulated models, of real data'
    : undefined;
}

async function listRunSubfolders({ argument }: DataSet): Promise<string[]> {
  const parent = findRunFolderAbove(argument) ?? argument;
  if (!(await hasFolder(parent))) return [];
  const entries = await readdir(parent, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
    .map((name) => join(parent, name));
}
