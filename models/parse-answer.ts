import * as z from 'zod';
import { WireFailure } from './errors/failure';
import { describeInvalidAnswer } from './errors/failure-body';
import type { ModelAnswer } from './model';
import type { Usage } from '../schemas/model/usage';

/**
 * Parses a provider's answer.
 * @throws WireFailure when it has another form: an error with status 200 (gateways), or the answer of another API at this address
 */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  response: unknown,
  name: string,
): z.output<Schema> {
  const parsed = schema.safeParse(response);
  if (parsed.success) return parsed.data;
  throw new WireFailure(describeInvalidAnswer(response, name));
}

/** Reads the other parts of an answer, and adds its usage to them, or to the failure that they contain. */
export function readWithUsage<Parts extends object>(
  usage: Usage,
  read: () => Parts,
): Parts & Pick<ModelAnswer, 'usage'> {
  try {
    return { ...read(), usage };
  } catch (error) {
    const isCharged = Object.values(usage).some((count = 0) => count > 0);
    throw error instanceof WireFailure && isCharged ? new WireFailure({ ...error.failure, usage }) : error;
  }
}

/** Joins an answer's text blocks by a space, as the reference program does; thinking is left out. */
export function joinText(blocks: readonly (string | undefined)[]): string {
  return blocks.filter((block) => block !== undefined).join(' ');
}

/** A token count from a provider, as a number or in digits; anything else counts as not reported. */
export const tokenCountSchema = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.number().int().nonnegative())
  .optional()
  .catch(undefined);

/** Returns the tier that a response names, unless it is the standard one. */
export function pickServedTier(name: string | undefined): Pick<ModelAnswer, 'tier'> {
  return name === 'flex' || name === 'priority' ? { tier: name } : {};
}

/** Adds up all tokens read, for providers that count cached ones separately (Anthropic, Bedrock). Unknown if the uncached count is. */
export function sumInputTokens(
  uncached: number | undefined,
  cachedRead: number | undefined,
  cachedWrite: number | undefined,
): number | undefined {
  return uncached === undefined ? undefined : uncached + (cachedRead ?? 0) + (cachedWrite ?? 0);
}
