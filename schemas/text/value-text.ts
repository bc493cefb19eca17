import { formatNumber } from './count-text';

export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (value instanceof Uint8Array) return 'bytes that are not UTF-8 text';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : formatJson(value);
  if (text === undefined) return `a value of type ${typeof value}`;
  return text.length > 80 ? `${text.slice(0, 80).replace(/\p{Cs}$/u, '')}…` : text;
}

/** Returns undefined for values that JSON cannot express, such as a module's value that contains itself. */
function formatJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
  } catch {
    return undefined;
  }
}

/** Formats a list of names for a message: the first ones, and the number of the others. */
export function formatNames(names: readonly string[]): string {
  const hiddenCount = names.length - MOST_NAMES;
  return (
    names.slice(0, MOST_NAMES).join(', ') + (hiddenCount > 0 ? ` and ${formatNumber(hiddenCount)} more` : '')
  );
}

const MOST_NAMES = 12;
