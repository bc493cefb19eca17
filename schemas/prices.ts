import { z } from 'zod';

const usd = z.number().nonnegative();

/** What a model's tokens cost, in US dollars a million. Where a cached price is absent, cached tokens cost what others do. */
export const priceSchema = z.strictObject({
  input: usd,
  output: usd,
  cachedRead: usd.optional(),
  cachedWrite: usd.optional(),
});
export type Price = z.infer<typeof priceSchema>;

/** A table of prices. Models are named `provider:model`, without address and options. */
export const pricesSchema = z.strictObject({
  /** The day they were looked up: `YYYY-MM-DD`. */
  date: z.iso.date(),
  /** Where from. */
  source: z.string().min(1),
  usdPerMillionTokens: z.record(z.string(), priceSchema),
});
export type Prices = z.infer<typeof pricesSchema>;
