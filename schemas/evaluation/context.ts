// The command line names these, so this module imports no zod.

/** How much of the history a model under test is shown: all, the relevant sessions, its own summaries, nothing. */
export const CONTEXTS = ['full', 'oracle', 'summary', 'none'] as const;
export type Context = (typeof CONTEXTS)[number];

/** What a model under test is given besides the request; `preference`, of generation only: the true one and no history. */
export const HISTORY_FORMS = [...CONTEXTS, 'preference'] as const;
export type HistoryForm = (typeof HISTORY_FORMS)[number];
