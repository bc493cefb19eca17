import { join } from 'node:path';
import { DataError } from '../../data/sets/error';
import { findEntry } from '../../data/store/own-file';

/**
 * Returns the path of an evaluation's rows.
 * @param why the evaluation is needed, to end a sentence
 * @throws DataError when the folder has no results
 */
export async function requireResults(folder: string, why: string): Promise<string> {
  const path = join(folder, 'results.parquet');
  if ((await findEntry(path, folder))?.isFile() === true) return path;
  throw new DataError(
    `${folder} is not a results folder: it has no results.parquet. Name the --results-dir of a cupid eval: ${why}`,
  );
}

/** Remedy for a row that is not in this program's form. */
export const FIX = 'Write the results again from the stored answers: cupid eval --results-dir DIR --rescore.';
