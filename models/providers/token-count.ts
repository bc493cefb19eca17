import { z } from 'zod';
import type { Usage } from '../../schemas/model/usage';

/** A count as a provider reports it; anything that is none counts as not reported. */
export const tokenCountSchema = z.number().int().nonnegative().optional().catch(undefined);

type Counts = { readonly [count in keyof Usage]: number | undefined };

/** The counts that were reported, without the others: unknown stays absent, never 0. */
export function collectReportedCounts(counts: Counts): Usage {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

/**
 * All tokens read, where the provider counts cached ones apart (Anthropic, Bedrock); unknown when the rest is.
 */
export function sumInputTokens(
  uncached: number | undefined,
  cachedRead: number | undefined,
  cachedWrite: number | undefined,
): number | undefined {
  return uncached === undefined ? undefined : uncached + (cachedRead ?? 0) + (cachedWrite ?? 0);
}
