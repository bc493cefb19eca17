// Workflows read these constants, so this module imports no zod.

/** The steps of synthesis that ask a model, by the name that stands in journal keys, settings and reports. */
export const SYNTHESIS_STEPS = ['describe', 'factors', 'journey', 'checklist', 'assistant', 'user'] as const;

/** The steps of evaluation that ask a model (paper, 2.3 and A). */
export const EVALUATION_STEPS = [
  'summarize',
  'infer',
  'decompose',
  'match',
  'respond',
  'judge',
  'classify',
] as const;

export const STEPS = [...SYNTHESIS_STEPS, ...EVALUATION_STEPS] as const;
export type Step = (typeof STEPS)[number];

/** What a call in the ledger was for: a step, or the check of its model before the run started. */
export const LEDGER_STEPS = ['check', ...STEPS] as const;
export type LedgerStep = (typeof LEDGER_STEPS)[number];
export type SynthesisStep = (typeof SYNTHESIS_STEPS)[number];
export type EvaluationStep = (typeof EVALUATION_STEPS)[number];

/** The three parts models play in synthesis (paper, B): each may be another model. */
export const MODEL_ROLES = ['synthesis', 'user', 'assistant'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
