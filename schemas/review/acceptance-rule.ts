// The command line imports this module, so it does not import zod.

/**
 * Rules for combining two raters' annotations of an item. `any`: it is expressed if one of them says so (paper, 3.2). `all`: only if both do
 * (paper, E: messages were revised if one annotator saw a problem). `third`: if they differ, a third rater decides.
 */
export const ACCEPTANCE_RULES = ['any', 'all', 'third'] as const;
export type AcceptanceRule = (typeof ACCEPTANCE_RULES)[number];
