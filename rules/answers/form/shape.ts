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
 * Returns `count` entries of the schema's shape. Rejects another number, and entries of other shapes.
 * @param things name of the entries, in the plural
 * @param first number of the first entry
 */
export function checkEntries<T>(
  schema: z.ZodType<T>,
  entries: readonly unknown[],
  count: number,
  things: string,
  thing: string,
  first = 1,
): CheckResult<T[]> {
  const { values, problems } = parseEntries(schema, entries, thing, first);
  const actualCount = entries.length;
  if (actualCount !== count)
    problems.unshift(`there must be exactly ${count} ${things}, but there are ${actualCount}`);
  return problems.length > 0 ? reject(problems) : accept(values);
}

/** Returns the entries of the schema's shape, their texts trimmed, and the problems of the others. */
export function parseEntries<T>(
  schema: z.ZodType<T>,
  entries: readonly unknown[],
  thing: string,
  first = 1,
): { values: T[]; problems: string[] } {
  const values: T[] = [];
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const trimmedEntry = mapTexts(entry, trimText);
    const parsed = schema.safeParse(trimmedEntry);
    if (parsed.success) {
      values.push(parsed.data);
    } else {
      problems.push(
        ...parsed.error.issues.map(
          (issue) => `${thing} ${index + first}: ${describeProblem(issue, trimmedEntry)}`,
        ),
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
  const value = getValue(entry, issue.path);
  if (field === '') return `it must be a mapping with named fields, not ${getKind(value)}`;
  if (value === undefined || value === null) return `${field} is missing`;
  if (value === '') return `${field} is empty`;
  if (issue.code === 'invalid_value') {
    const formattedValue = typeof value === 'string' ? quoteAnswer(value) : getKind(value);
    return `${field} ${formattedValue} is not one of ${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'too_small' && Array.isArray(value))
    return `${field} must have at least ${issue.minimum} entry`;
  if (issue.code === 'invalid_type') {
    const kinds = { string: 'one text', array: 'a list', number: 'a whole number', int: 'a whole number' };
    const kind = Object.entries(kinds).find(([type]) => type === issue.expected)?.[1] ?? issue.expected;
    return `${field} must be ${kind}, not ${typeof value === 'string' ? quoteAnswer(value) : getKind(value)}`;
  }
  return `${field} ${typeof value === 'string' ? `${quoteAnswer(value)} ` : ''}is not as asked for (${issue.message})`;
}

function getKind(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  return typeof value === 'string' ? 'a text' : `the value ${String(value)}`;
}
