import type { z } from 'zod';
import { describeIssues } from '../../schemas/text/issues';
import { DataError } from '../sets/error';

/**
 * A row in the form of a schema.
 * @param place names it in messages: `labels.jsonl, line 3`
 * @param fix what to do about a row in another form
 * @throws DataError that names place and field, what was expected and found, and the fix
 */
export function parseRow<Row>(schema: z.ZodType<Row>, value: unknown, place: string, fix: string): Row {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new DataError(`${describeIssues(place, checked.error, value)} ${fix}`);
}
