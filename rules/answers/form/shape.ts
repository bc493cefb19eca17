import type * as z from 'zod';
import { trimText } from '../../../schemas/model/answer-text';
import { getValue } from '../../../schemas/text/field-path';
import { accept, reject, type CheckResult } from './checks';
import { quoteAnswer } from '../../texts/quote-answer';

/** Returns the list under a key of the answer; a bare list is accepted as well. */
export function getList(answer: CheckResult<unknown>, key: string): CheckResult<unknown[]> {
  if (!answer.ok) return answer;
  const list: unknown = Array.isArray(answer.value) ? answer.value : getFields(answer.value)?.[key];
  return Array.isArray(list) ? accept(list) : reject([`the answer holds no list under the key "${key}"`]);
}

/**
 * Returns `wanted` entries of the schema's shape. Rejects another number, and entries of other shapes.
 * @param things name of the entries, in the plural
 */
export function checkEntries<T>(
  schema: z.ZodType<T>,
  entries: readonly unknown[],
  wanted: number,
  things: string,
  thing: string,
): CheckResult<T[]> {
  const { values, problems } = parseEntries(schema, entries, thing);
  const found = entries.length;
  if (found !== wanted) problems.unshift(`there must be exactly ${wanted} ${things}, but there are ${found}`);
  return problems.length > 0 ? reject(problems) : accept(values);
}

/** Returns the entries of the schema's shape, their texts trimmed, and the problems of the others. */
export function parseEntries<T>(
  schema: z.ZodType<T>,
  entries: readonly unknown[],
  thing: string,
): { values: T[]; problems: string[] } {
  const values: T[] = [];
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const given = mapTexts(entry, trimText);
    const parsed = schema.safeParse(given);
    if (parsed.success) {
      values.push(parsed.data);
    } else {
      problems.push(
        ...parsed.error.issues.map((issue) => `${thing} ${index + 1}: ${describeProblem(issue, given)}`),
      );
    }
  }
  return { values, problems };
}

/** Returns the fields of a mapping; undefined for any other value. */
export function getFields(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/** Maps all texts in a value. */
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, map));
  const fields = getFields(value);
  if (fields === undefined) return value;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, mapTexts(field, map)]));
}

function describeProblem(issue: z.core.$ZodIssue, entry: unknown): string {
  const field = issue.path
    .map((part) => (typeof part === 'number' ? `entry ${part + 1}` : String(part)))
    .join(', ');
  const given = getValue(entry, issue.path);
  if (field === '') return `it must be a mapping with named fields, not ${getKind(given)}`;
  if (given === undefined || given === null) return `${field} is missing`;
  if (given === '') return `${field} is empty`;
  if (issue.code === 'invalid_value') {
    const shown = typeof given === 'string' ? quoteAnswer(given) : getKind(given);
    return `${field} ${shown} is not one of ${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'too_small' && Array.isArray(given))
    return `${field} must have at least ${issue.minimum} entry`;
  if (issue.code === 'invalid_type') {
    const wanted = { string: 'one text', array: 'a list', number: 'a whole number', int: 'a whole number' };
    const kind = Object.entries(wanted).find(([type]) => type === issue.expected)?.[1] ?? issue.expected;
    return `${field} must be ${kind}, not ${typeof given === 'string' ? quoteAnswer(given) : getKind(given)}`;
  }
  return `${field} ${typeof given === 'string' ? `${quoteAnswer(given)} ` : ''}is not as asked for (${issue.message})`;
}

function getKind(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  return typeof value === 'string' ? 'a text' : `the value ${String(value)}`;
}
