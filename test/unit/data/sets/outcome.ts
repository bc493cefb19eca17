import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../../../data/sets/error';
import { openData } from '../../../../data/sets/open';
import { readInstances } from '../../../../data/readers/read';

/** What reading a file of these bytes ends with: its number of rows, or a message. */
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
