// Workflows read these constants, so this module does not import zod.

/** Tier of a single call at its provider: its price, and how long it may take. */
export const SINGLE_TIERS = ['standard', 'flex', 'priority'] as const;
export type SingleTier = (typeof SINGLE_TIERS)[number];

export const TIERS = [...SINGLE_TIERS, 'batch'] as const;
export type Tier = (typeof TIERS)[number];
