import * as z from 'zod';

/** Tokens of one call as reported by the provider. A count that was not reported is absent, never 0. */
export const usageSchema = z.object({
  /** All tokens read, cached ones included. */
  input: z.number().int().nonnegative().optional(),
  /** All tokens written, reasoning included. */
  output: z.number().int().nonnegative().optional(),
  cachedRead: z.number().int().nonnegative().optional(),
  cachedWrite: z.number().int().nonnegative().optional(),
  reasoning: z.number().int().nonnegative().optional(),
});
export type Usage = z.infer<typeof usageSchema>;
