import type { z } from 'zod';
import { WireFailure } from './errors/failure';

/**
 * Parses a provider's answer.
 * @throws WireFailure when it has another form: another API answers at this address
 */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  response: unknown,
  name: string,
): z.output<Schema> {
  const read = schema.safeParse(response);
  if (read.success) return read.data;
  throw new WireFailure({
    status: 200,
    labels: [],
    message: `expected ${name}, found ${JSON.stringify(response)}`,
  });
}
