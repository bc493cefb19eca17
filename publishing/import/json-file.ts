import type * as z from 'zod';
import { isObject } from '../../schemas/is-object';
import { describeIssues } from '../../schemas/text/issues';
import { createReadError, DataError, getReason } from '../../data/store/data-error';
import { readBytes } from '../../data/store/own-file';
import { formatFieldName } from '../../schemas/text/field-path';
import { isWellFormed } from '../../rules/answers/form/checks';

/**
 * Reads a JSON file in this form. Keys that the form does not have are left out and reported to `others`.
 * @param name of the file, in a folder that the user named
 * @param within that folder
 * @throws DataError that names the file, the place in it and the remedy
 */
export async function readJsonFile<Form>(
  name: string,
  within: string,
  schema: z.ZodType<Form>,
  otherKeys: OtherKeys,
): Promise<Form> {
  const value = parseText(await readUtf8(name, within), name);
  const checked = schema.safeParse(value);
  if (!checked.success) throw createFormError(name, checked.error, value);
  requireWellFormed(name, checked.data);
  otherKeys.add(value, checked.data);
  return checked.data;
}

/** Keys that files have and data sets have no column for: each is reported once, no matter how many files have it. */
export class OtherKeys {
  readonly #fields = new Set<string>();

  /** @param value as the file has it; `kept` is what its form left of it */
  add(value: unknown, parsed: unknown, field = ''): void {
    if (Array.isArray(value) && Array.isArray(parsed)) {
      for (const [index, part] of value.entries()) this.add(part, parsed[index], `${field}[]`);
    } else if (isObject(value) && isObject(parsed)) {
      for (const [key, part] of Object.entries(value)) {
        const name = field === '' ? key : `${field}.${key}`;
        if (Object.hasOwn(parsed, key)) this.add(part, Reflect.get(parsed, key), name);
        else this.#fields.add(name);
      }
    }
  }

  /** Returns the keys in order, such as `interactions[].turns`. */
  get fields(): string[] {
    return [...this.#fields].toSorted();
  }
}

async function readUtf8(name: string, within: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readBytes(name, within);
  } catch (error) {
    throw createReadError(name, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DataError(`${name} is not UTF-8. Decompress it if it is compressed, and save it as UTF-8.`, {
      cause: error,
    });
  }
}

function parseText(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = getReason(error);
    throw new DataError(
      `${name}${describeErrorPlace(reason, text)}: not JSON (${reason}). Fix the file, or remove it. A file that ends early ` +
        'was not written completely, and NaN and Infinity, which Python writes, are not JSON.',
      { cause: error },
    );
  }
}

/** Finds the place that a parse error names. Not every error has a position; the others quote the text there. */
function describeErrorPlace(reason: string, text: string): string {
  const [, digits] = /position (\d+)/.exec(reason) ?? [];
  const position = digits === undefined && reason.startsWith('Unexpected end') ? text.length : digits;
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `, line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

function createFormError(name: string, error: z.ZodError, value: unknown): DataError {
  return new DataError(
    `${describeIssues(name, error, value)}\nFix the file, or remove it to leave its row out.`,
  );
}

/** Rejects half of a surrogate pair, which Python's JSON can hold and a data set's files cannot. */
function requireWellFormed(name: string, value: unknown, path: readonly PropertyKey[] = []): void {
  if (typeof value === 'string' && !isWellFormed(value)) {
    throw new DataError(
      `${name}, field ${formatFieldName(path)}: half of a surrogate pair, which is not a character: the text was cut inside a ` +
        'character or decoded wrongly. Fix it in the file.',
    );
  }
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) requireWellFormed(name, part, [...path, index]);
  } else if (isObject(value)) {
    for (const [key, part] of Object.entries(value)) requireWellFormed(name, part, [...path, key]);
  }
}
