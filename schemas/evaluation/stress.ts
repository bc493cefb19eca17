/** The answers of a stress test for matchers: preferences, of which only the true one is right. */
export const MATCHED_KINDS = ['true', 'original', 'contrastive', 'other-persona', 'general'] as const;

/** The answers of a stress test for judges: responses written for the judged preference, or for that of the persona's other row. */
export const JUDGED_KINDS = ['true', 'other-row'] as const;

export const STRESS_KINDS = [...MATCHED_KINDS, 'other-row'] as const;
export type StressKind = (typeof STRESS_KINDS)[number];
