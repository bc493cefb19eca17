import { types } from 'node:util';

/** A data set that cannot be found or read; the message names the file, the row (from 1), the field and the mend. */
export class DataError extends Error {
  override readonly name = 'DataError';
}

/**
 * The Hub did not give what was asked of it: it cannot be reached, refuses the token, asks to wait, or failed. The name may
 * be right, so this is no wrong usage.
 */
export class HubError extends Error {
  override readonly name = 'HubError';
}

/** What went wrong, in its own words. */
export function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}

/** A value as a message shows it: on one line, not at any length. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (value instanceof Uint8Array) return 'bytes that are not UTF-8 text';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : jsonOf(value);
  if (text === undefined) return typeof value;
  return text.length > 80 ? `${text.slice(0, 80).replace(/\p{Cs}$/u, '')}…` : text;
}

function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
}

/** Some names out of however many. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const MOST_NAMES = 12;
