// Workflows read these constants, so this module imports no zod.

/** How a provider serves a call that is sent by itself: what it costs, and how long it may take. */
export const SINGLE_TIERS = ['standard', 'flex', 'priority'] as const;
export type SingleTier = (typeof SINGLE_TIERS)[number];

export const TIERS = [...SINGLE_TIERS, 'batch'] as const;
export type Tier = (typeof TIERS)[number];
