import { types } from 'node:util';
import { InputError } from '../../schemas/input-error';

/** A data set that cannot be found or read; the message names the file, the row (from 1), the field and the remedy. */
export class DataError extends InputError {
  override readonly name: string = 'DataError';
}

/**
 * The Hub did not give what was asked of it: it cannot be reached, refuses the token, asks to wait, or failed. The name may
 * be right, so this is no wrong usage.
 */
export class HubError extends Error {
  override readonly name = 'HubError';
}

/**
 * Returns the error for a file or folder that the system does not let this process read.
 * @param name as messages name it
 */
export function createReadError(name: string, cause: unknown): DataError {
  // It says all that there is to say.
  if (cause instanceof DataError) return cause;
  return new DataError(
    `${name} cannot be read (${getReason(cause)}). Check the path and the permission to read it.`,
    { cause },
  );
}

/** What went wrong, in its own words. */
export function getReason(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
