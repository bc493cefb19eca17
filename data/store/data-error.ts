import { types } from 'node:util';
import { InputError } from '../../schemas/input-error';
import { explainError } from './explain-error';

/** A data set that cannot be found or read; the message names the file, the row (from 1), the field and the remedy. */
export class DataError extends InputError {
  override readonly name: string = 'DataError';
}

/**
 * Returns the error for a file or folder that this process may not read.
 * @param name its name in messages
 */
export function createReadError(name: string, cause: unknown): DataError {
  // A DataError already has the complete message.
  if (cause instanceof DataError) return cause;
  const explained = explainError(cause);
  if (explained !== undefined) return new DataError(`${name} cannot be read. ${explained}`, { cause });
  return new DataError(
    `${name} cannot be read (${getReason(cause)}). Check the path and the permission to read it.`,
    { cause },
  );
}

export function getReason(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
