import * as z from 'zod';
import { tierSchema } from '../model/model-table';
import { LEDGER_STEPS } from './step';
import { usageSchema } from '../model/usage';

const tokens = z.number().nonnegative();

/** Expected tokens of a call, before it is sent. */
export const callEstimateSchema = z.object({ input: tokens, output: tokens });
export type CallEstimate = z.infer<typeof callEstimateSchema>;

/**
 * A line of a worker's ledger. `call` counts this worker's calls, from 1. A call has one line when it is sent and another when it ends. Without
 * the second, it was in flight when its worker died.
 */
export const ledgerLineSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('sent'),
    call: z.number().int().positive(),
    key: z.string(),
    spec: z.string(),
    step: z.enum(LEDGER_STEPS),
    /** The requested tier; absent: the standard one. */
    tier: tierSchema.optional(),
    /** Time in milliseconds since 1970, by which limits per minute hold even after a crash. */
    sentAtMs: z.number().int().positive(),
    estimate: callEstimateSchema,
  }),
  z.object({
    event: z.literal('answered'),
    call: z.number().int().positive(),
    verdict: z.enum(['good', 'bad', 'refused']),
    /** The tier named in the response, if it is not the requested one. */
    tier: tierSchema.optional(),
    usage: usageSchema,
    durationMs: z.number().nonnegative(),
    /** Present if reasoning was separated from the answer. */
    separated: z.literal(true).optional(),
    /** Present if special tokens were cut off from it. */
    trimmed: z.literal(true).optional(),
  }),
  /** The provider gave no answer; `kind` is a ModelErrorKind, or `unexpected`. */
  z.object({
    event: z.literal('failed'),
    call: z.number().int().positive(),
    kind: z.string(),
    /** Present if the call was probably charged: what the provider reported. Counts that are absent are estimated. */
    usage: usageSchema.optional(),
  }),
]);
export type LedgerLine = z.infer<typeof ledgerLineSchema>;
export type SentLine = Extract<LedgerLine, { event: 'sent' }>;

/** Totals of the calls of one step to one model in one tier. */
export const ledgerRowSchema = z.object({
  spec: z.string(),
  step: z.enum(LEDGER_STEPS),
  /** Absent for the standard tier. */
  tier: tierSchema.optional(),
  /** Answered calls, bad answers and refusals included. */
  calls: z.number().int().nonnegative(),
  badAnswers: z.number().int().nonnegative(),
  refusals: z.number().int().nonnegative(),
  /** Sums over the calls that reported them. */
  input: tokens,
  output: tokens,
  /** Absent while no call reported any. */
  cachedRead: tokens.optional(),
  cachedWrite: tokens.optional(),
  reasoning: tokens.optional(),
  /** Answers from which reasoning or special tokens were separated; absent if there were none. */
  separatedAnswers: z.number().int().nonnegative().optional(),
  trimmedAnswers: z.number().int().nonnegative().optional(),
  /** Answered calls whose provider did not report both input and output. */
  uncountedCalls: z.number().int().nonnegative(),
  /** Calls without a usable answer that may have been charged: in flight when their worker died, timed out, or broken off. */
  lostCalls: z.number().int().nonnegative(),
  /** Tokens that the uncounted and the lost calls are charged: estimates, or what was reported of a lost call. */
  assumedTokens: callEstimateSchema,
  /** Calls that a provider did not answer, by kind. */
  failures: z.record(z.string(), z.number().int().positive()),
  durationMs: z.number().nonnegative(),
});
export type LedgerRow = z.infer<typeof ledgerRowSchema>;

/** Rows in order of model, step and tier, at most one for each combination. */
export type Ledger = readonly LedgerRow[];
