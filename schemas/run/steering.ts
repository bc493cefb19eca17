import * as z from 'zod';
import { AMOUNT_UNITS, type AmountUnit } from '../text/amount-text';
import { modelTableSchema, singleTierSchema } from '../model/model-table';

/** Spending limit of a run. */
const budgetSchema = z.strictObject({ unit: z.enum(AMOUNT_UNITS), cap: z.number().positive() });
export type Budget = z.infer<typeof budgetSchema>;

/** Amounts spent, in both units of a budget. */
export type SpentAmounts = Readonly<Record<AmountUnit, number>>;

/** Limits of a model over all workers. */
export const modelLimitsSchema = z.strictObject({
  requestsPerMinute: z.number().int().positive().optional(),
  tokensPerMinute: z.number().int().positive().optional(),
  inFlight: z.number().int().positive().optional(),
});
export type ModelLimits = z.infer<typeof modelLimitsSchema>;

/** Settings that may change during a run without changing its results: `steering.json` of its store. */
export const steeringSchema = z.strictObject({
  /** True until `cupid resume`. */
  paused: z.boolean().default(false),
  /** Maximum calls in flight over all workers; absent if each worker only follows its own --concurrency. */
  concurrency: z.number().int().positive().optional(),
  budget: budgetSchema.optional(),
  /** By SPEC. */
  limits: z.record(z.string(), modelLimitsSchema).default({}),
  /** The user's own entries of the model table, which take precedence over the built-in ones. */
  modelTable: modelTableSchema.optional(),
  /** The tier of each model that does not use the standard one, by SPEC. */
  tiers: z.record(z.string(), singleTierSchema).optional(),
  /** Milliseconds that a model's tier may be full before its calls use the standard one; absent: they wait. */
  tierFallbackMs: z.number().positive().optional(),
});
export type Steering = z.infer<typeof steeringSchema>;

export type TierSteering = Pick<Steering, 'tiers' | 'tierFallbackMs'>;
