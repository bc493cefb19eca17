import { ROWS_PER_FILE } from '../../schemas/evaluation/evaluation-run';

/** Builds the name of the file in a folder of the store that holds what belongs to a row, from 1: there is one for each hundred rows. */
export function buildRowFileName(folder: string, row: number): string {
  return `${folder}/${String(Math.ceil(row / ROWS_PER_FILE)).padStart(6, '0')}.json`;
}
