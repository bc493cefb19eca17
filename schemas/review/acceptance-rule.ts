// The command line names these, so this module imports no zod.

/**
 * How the annotations of a task's two raters decide about an item. `any`: it is expressed if one of them says so (paper, 3.2). `all`: only if
 * both do (paper, E: messages were revised where one annotator saw a problem). `third`: where they differ, a third rater decides.
 */
export const ACCEPTANCE_RULES = ['any', 'all', 'third'] as const;
export type AcceptanceRule = (typeof ACCEPTANCE_RULES)[number];
