// Apart from `steer`, since the command line is parsed without loading the engine's client.

export { parseBudget, parseRates, type Rates } from '../rules/budget';
export { parseMinutes, parseTier, tiersFor, type WantedTier } from '../rules/tiers';
