import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openFile } from '../../data/store/own-file';

/** Log of the embedded server in the folder of its engine. All servers of the folder append to it, so it may grow large. */
export const LOG_FILE = 'server.log';

export function getLogFile(folder: string): string {
  return join(folder, LOG_FILE);
}

/** Returns the size of the log in bytes; 0 if there is none. */
export async function findLogSize(folder: string): Promise<number> {
  return (await stat(getLogFile(folder)).catch(() => undefined))?.size ?? 0;
}

/**
 * Reads what the server has logged since; nothing if the log cannot be read.
 * @param from size of the log at that time
 */
export async function readLog(folder: string, from: number): Promise<string> {
  try {
    const handle = await openFile(getLogFile(folder), folder);
    return await text(handle.createReadStream({ start: from }));
  } catch {
    return '';
  }
}
