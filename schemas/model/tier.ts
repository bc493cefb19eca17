// Workflows read these constants, so this module imports no zod.

/** How a provider serves a call: what it costs, and how long it may take. */
export const TIERS = ['standard', 'flex', 'priority'] as const;
export type Tier = (typeof TIERS)[number];
