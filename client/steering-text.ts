// Apart from `steer`, so that the command line is parsed, and amounts are shown, without loading the engine's client.

export { amountText, budgetText, parseBudget, parseRates, type Rates } from '../limits/budget';
export { parseMinutes, parseTier, tiersFor, type WantedTier } from '../costs/tiers';
