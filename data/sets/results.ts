import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { evaluationResultsSchema, RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { quotePath } from '../../schemas/text/shell-text';
import { readJsonAsWritten } from '../outputs/as-written';

/**
 * Reads a folder's `results.json`. Returns undefined when there is none.
 * @throws DataError that names the missing or invalid field, and the remedy
 */
export async function readEvaluationResults(folder: string): Promise<EvaluationResults | undefined> {
  const path = join(folder, RESULTS.summary);
  return readJsonAsWritten(evaluationResultsSchema, path, folder, describeRescore(path));
}

/** Describes how to write results again that are not in this program's form. @param file path of one of them */
export function describeRescore(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, '.cupid'))
    ? `Write the results again from the stored answers: ${formatRescore(quotePath(folder))}`
    : `${folder} lacks .cupid, which has the stored answers, so the results cannot be written again there. Run ${formatRescore('DIR')} where DIR is the folder of the evaluation, then copy all of DIR.`;
}

function formatRescore(folder: string): string {
  return `cupid eval --results-dir ${folder} --rescore`;
}
