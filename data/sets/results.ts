import { dirname, join } from 'node:path';
import { evaluationResultsSchema, RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { parseJson } from '../../schemas/text/issues';
import { quotePath } from '../../schemas/text/shell-text';
import { readAsWritten } from '../outputs/as-written';
import { DataError } from '../store/data-error';

/**
 * Reads a folder's `results.json`. Returns undefined when there is none.
 * @throws DataError that names the missing or invalid field, and the remedy
 */
export async function readEvaluationResults(folder: string): Promise<EvaluationResults | undefined> {
  const path = join(folder, RESULTS.summary);
  const text = await readAsWritten(path, folder);
  if (text === undefined) return undefined;
  const { value, problem } = parseJson(evaluationResultsSchema, path, text);
  if (problem === undefined) return value;
  throw new DataError(`${problem} ${describeRescore(path)}`);
}

/** Describes how to write results again that are not in this program's form. @param file path of one of them */
export function describeRescore(file: string): string {
  return `Write the results again from the stored answers: cupid eval --results-dir ${quotePath(dirname(file))} --rescore`;
}
