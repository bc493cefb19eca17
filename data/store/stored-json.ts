import type * as z from 'zod';
import { parseJson } from '../../schemas/text/issues';
import { hashText } from './files';
import type { Store } from './store';

/*
 * Documents of a run's store. Each ends with the SHA-256 of everything before it, which every read compares: what is read is what was
 * written. The hash detects accidents, but not a person who edits a document and computes it again.
 */

/** Renders a value as JSON whose last field is the SHA-256 of all that stands before it. */
export function sealJson(value: object): string {
  const fields = JSON.stringify(value).slice(0, -1);
  return `${fields}${fields === '{' ? '' : ','}"sha256":"${hashText(fields)}"}\n`;
}

/** Returns the JSON that was sealed, or a predicate that says what is wrong with the text, such as `it is empty`. */
export function openSealedJson(text: string): { readonly json: string } | { readonly problem: string } {
  if (text.trim() === '') return { problem: 'it is empty' };
  const sha256 = /^"sha256":"([0-9a-f]{64})"\}\n$/.exec(text.slice(-SEAL_LENGTH))?.[1];
  if (sha256 === undefined) return { problem: 'it does not end with its SHA-256' };
  const fields = text.slice(0, -SEAL_LENGTH).replace(/,$/, '');
  if (hashText(fields) !== sha256) return { problem: 'its content does not match its SHA-256' };
  return { json: `${fields}}` };
}

/** Length of a document's last field and its end. */
const SEAL_LENGTH = sealJson({}).length - 1;

/** Parses a sealed document in the form of a schema; returns its value, or its problem. */
export function parseSealedJson<T>(
  schema: z.ZodType<T>,
  name: string,
  text: string,
): ReturnType<typeof parseJson<T>> {
  const opened = openSealedJson(text);
  if ('problem' in opened) return { problem: `${name}: ${opened.problem}.` };
  return parseJson(schema, name, opened.json);
}

/** Writes a document with its hash. It must have no field `sha256` of its own. */
export async function writeJson(store: Store, name: string, value: object): Promise<void> {
  await store.write(name, sealJson(value));
}

/** Reads a document of the store that cannot be built again. @throws Error that names what is missing or damaged */
export async function readJson<T>(schema: z.ZodType<T>, store: Store, name: string): Promise<T> {
  const value = await findJson(schema, store, name, RESTORE);
  if (value === undefined) throw new Error(`.cupid/${name} is missing. ${RESTORE}`);
  return value;
}

/** Remedy for a file that cannot be built again. */
export const RESTORE = 'Restore that file from a copy.';

/**
 * Reads a document of the store; undefined if there is none.
 * @param remedy what to do when it is damaged
 * @throws Error that names what is damaged, and the remedy
 */
export async function findJson<T>(
  schema: z.ZodType<T>,
  store: Store,
  name: string,
  remedy: string,
): Promise<T | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  const { value, problem } = parseSealedJson(schema, name, text);
  if (problem === undefined) return value;
  throw new Error(`.cupid/${name} is damaged:\n${problem}\n${remedy}`);
}
