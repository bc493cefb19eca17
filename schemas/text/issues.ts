import type * as z from 'zod';
import { formatCount, pluralize } from './count-text';
import { formatFieldName, getValue } from './field-path';
import { formatValue, formatNames } from './value-text';

/**
 * Describes in a few lines, for its author, why a schema rejected a value: the place, what was expected, and what was found.
 * @param name name of the file, or of the place in it: `settings.yaml`, `labels.jsonl, line 3`
 */
export function describeIssues(name: string, { issues }: z.ZodError, value: unknown): string {
  const lines = issues
    .slice(0, MOST_SHOWN)
    .map((issue) => `${[name, ...getField(issue)].join(', ')}: ${describeIssue(issue, value)}.`);
  const unlistedCount = issues.length - lines.length;
  return [
    ...lines,
    ...(unlistedCount > 0 ? [`${name}: ${formatCount(unlistedCount, 'more problem')} like these.`] : []),
  ].join('\n');
}

const MOST_SHOWN = 5;

/** The value of a JSON text, or its problem. */
type JsonReading<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/**
 * Parses a JSON text in the form of a schema.
 * @param name name of the file, or of the place in it, for the problem
 */
export function parseJson<T>(schema: z.ZodType<T>, name: string, text: string): JsonReading<T> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return { problem: `${name}: not JSON (${String(error)}).` };
  }
  const parsed = schema.safeParse(content);
  return parsed.success ? { value: parsed.data } : { problem: describeIssues(name, parsed.error, content) };
}

function getField({ path }: z.core.$ZodIssue): string[] {
  return path.length === 0 ? [] : [`field ${formatFieldName(path)}`];
}

/** Describes one problem of a value, without its place: `expected a number, found "hot"`. */
export function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message.replace(/\.$/, '');
  if (issue.code === 'unrecognized_keys') {
    const keys = formatNames(issue.keys.map(formatValue));
    return `unknown ${pluralize(issue.keys.length, 'key')} ${keys}`;
  }
  return `expected ${describeExpected(issue)}, found ${formatValue(getValue(value, issue.path))}`;
}

function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)));
    return values.length === 1 ? values.join('') : `one of ${values.join(', ')}`;
  }
  if (issue.code === 'too_small') {
    return formatSize(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
  }
  if (issue.code === 'too_big') {
    return formatSize(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
  }
  if (issue.code === 'invalid_format') {
    return issue.format === 'date' ? 'a date such as 2025-07-31' : `text in the format ${issue.format}`;
  }
  if (issue.code === 'invalid_union') {
    const choices = issue.errors.flatMap(([first]) => (first === undefined ? [] : [describeExpected(first)]));
    return choices.length === 0 ? 'another value' : [...new Set(choices)].join(' or ');
  }
  return 'another value';
}

function formatSize(origin: string, comparison: string, limit: number | bigint): string {
  if (origin === 'string' && comparison === 'at least' && limit === 1) return 'a text that is not empty';
  if (origin === 'string') return `a text of ${comparison} ${formatCount(Number(limit), 'character')}`;
  if (origin === 'array') return `a list of ${comparison} ${formatCount(Number(limit), 'entry', 'entries')}`;
  const kind = origin === 'int' ? 'a whole number' : 'a number';
  return `${kind} ${comparison.startsWith('at') ? 'of ' : ''}${comparison} ${limit}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
