import * as z from 'zod';
import { count } from './figures';

/** A name in the results under which several models answered, such as an alias that changed its version. */
export const sharedNameSchema = z.object({
  role: z.enum(['model', 'decomposer', 'evaluator']),
  name: z.string(),
  /** Models as named in their responses, with the number of answers that count for the cell; most answers first. */
  answered_by: z.array(z.object({ model: z.string(), n_answers: count })),
});
export type SharedName = z.infer<typeof sharedNameSchema>;
