import type * as z from 'zod';
import { describeIssues } from '../../schemas/text/issues';
import { DataError } from '../store/data-error';

/**
 * Checks a row by a schema.
 * @param place names it in messages: `labels.jsonl, line 3`
 * @param fix remedy for a row in another form
 * @throws DataError that names place and field, the expected and the found value, and the fix
 */
export function parseRow<Row>(schema: z.ZodType<Row>, value: unknown, place: string, fix: string): Row {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new DataError(`${describeIssues(place, checked.error, value)} ${fix}`);
}
