import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../../../data/store/data-error';
import { openData } from '../../../../data/sets/open';
import { readInstances } from '../../../../data/sets/read';
import { readTableRows } from '../../../../data/readers/table';

/** Reads a file of these bytes, and returns its number of rows, or a message. */
export async function readOutcome(
  folder: string,
  name: string,
  bytes: Uint8Array | string,
): Promise<number | string> {
  const file = join(folder, name);
  await writeFile(file, bytes);
  try {
    let rows = 0;
    const dataSet = await openData(file, { report: () => undefined, environment: {} });
    for await (const row of readInstances(dataSet)) rows += row.persona_id === '' ? 0 : 1;
    return rows;
  } catch (error) {
    if (error instanceof DataError) return error.message.replaceAll(`${folder}/`, '');
    throw error;
  }
}

/** Writes these bytes as a table and reads it. Returns its number of rows, which are not checked, or the error message. */
export async function readTableOutcome(
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<number | string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  try {
    let rows = 0;
    for await (const { number } of readTableRows({ path, name }, ['persona_id'])) rows = number;
    return rows;
  } catch (error) {
    if (error instanceof DataError) return error.message;
    throw error;
  }
}
