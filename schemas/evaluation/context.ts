// The command line imports this module, so it does not import zod.

/** Forms in which a model under test sees the history: all, the relevant sessions, the context of a memory system, its own summaries, nothing. */
export const CONTEXT_FORMS = ['full', 'oracle', 'memory', 'summary', 'none'] as const;
export type ContextForm = (typeof CONTEXT_FORMS)[number];

/** Most tokens of a history that sessions of other personas extend. */
export const HISTORY_TOKENS = { '32k': 32_000, '128k': 128_000, '1M': 1_000_000 } as const;
export type HistoryTier = keyof typeof HISTORY_TOKENS;

export const HISTORY_TIERS = ['32k', '128k', '1M'] as const satisfies readonly HistoryTier[];

/** Forms that depend on the length of the history; the others show only sessions of the persona that are relevant, or none. */
const LONG_FORMS = ['full', 'memory', 'summary'] as const satisfies readonly ContextForm[];
type LongForm = (typeof LONG_FORMS)[number];

/** Context of a model under test: a form of the data's own history, or of an extended one, such as `full@128k`. */
export type Context = ContextForm | `${LongForm}@${HistoryTier}`;

/** Every context, each form before its extended ones. */
export const CONTEXTS: readonly Context[] = CONTEXT_FORMS.flatMap((form): Context[] => [
  form,
  ...HISTORY_TIERS.flatMap((tier) => listExtended(form, tier)),
]);

/** Context of a model under test, besides the request; `preference`, for generation only: the true one and no history. */
export type HistoryForm = Context | 'preference';
export const HISTORY_FORMS: readonly HistoryForm[] = [...CONTEXTS, 'preference'];

/** Lists the context of a form with a history extended to the tier; none for a form that does not depend on its length. */
export function listExtended(form: ContextForm, tier: HistoryTier): Context[] {
  const longForm = LONG_FORMS.find((candidate) => candidate === form);
  return longForm === undefined ? [] : [`${longForm}@${tier}`];
}

/** Returns the form in which a context shows the history. */
export function getContextForm(context: HistoryForm): ContextForm | 'preference' {
  if (context === 'preference') return context;
  return CONTEXT_FORMS.find((form) => form === context || context.startsWith(`${form}@`)) ?? 'full';
}

/** Returns the tier to which a context extends the history; undefined for the data's own. */
export function getHistoryTier(context: HistoryForm): HistoryTier | undefined {
  return HISTORY_TIERS.find((tier) => context.endsWith(`@${tier}`));
}

/** Tokens of a memory system's context unless a command says otherwise. */
export const MEMORY_BUDGET = 2_048;
