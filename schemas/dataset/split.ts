// The command line imports this module, so it does not import zod.

/** Splits of the personas of a data set, in the order of the hash that assigns them. */
export const SPLITS = ['train', 'validation', 'test'] as const;
export type Split = (typeof SPLITS)[number];
