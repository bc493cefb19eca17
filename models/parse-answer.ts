import { z } from 'zod';
import { WireFailure } from './errors/failure';
import { describeInvalidAnswer } from './errors/failure-body';

/**
 * Parses a provider's answer.
 * @throws WireFailure when it has another form: an error with status 200 (gateways), or what another API answers at this address
 */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  response: unknown,
  name: string,
): z.output<Schema> {
  const read = schema.safeParse(response);
  if (read.success) return read.data;
  throw new WireFailure(describeInvalidAnswer(response, name));
}

/** Returns the answer's text: its text blocks joined by a space (the reference program); thinking is left out. */
export function joinText(blocks: readonly (string | undefined)[]): string {
  return blocks.filter((block) => block !== undefined).join(' ');
}

/** A count as a provider reports it, as a number or in digits; anything that is none counts as not reported. */
export const tokenCountSchema = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.number().int().nonnegative())
  .optional()
  .catch(undefined);

/**
 * Returns all tokens read, where the provider counts cached ones apart (Anthropic, Bedrock); unknown when the rest is.
 */
export function sumInputTokens(
  uncached: number | undefined,
  cachedRead: number | undefined,
  cachedWrite: number | undefined,
): number | undefined {
  return uncached === undefined ? undefined : uncached + (cachedRead ?? 0) + (cachedWrite ?? 0);
}
