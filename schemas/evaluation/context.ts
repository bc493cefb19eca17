// The command line imports this module, so it does not import zod.

/** History that is shown to a model under test: all, the relevant sessions, the context of a memory system, its own summaries, nothing. */
export const CONTEXTS = ['full', 'oracle', 'memory', 'summary', 'none'] as const;
export type Context = (typeof CONTEXTS)[number];

/** Context of a model under test, besides the request; `preference`, for generation only: the true one and no history. */
export const HISTORY_FORMS = [...CONTEXTS, 'preference'] as const;
export type HistoryForm = (typeof HISTORY_FORMS)[number];

/** Tokens of a memory system's context unless a command says otherwise. */
export const MEMORY_BUDGET = 2_048;
