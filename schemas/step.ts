import { z } from 'zod';

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

export const stepSchema = z.enum([...SYNTHESIS_STEPS, ...EVALUATION_STEPS]);
export type Step = z.infer<typeof stepSchema>;

/** What a call in the ledger was for: a step, or the check of its model before the run started. */
export const ledgerStepSchema = z.enum(['check', ...stepSchema.options]);
export type LedgerStep = z.infer<typeof ledgerStepSchema>;
export type SynthesisStep = (typeof SYNTHESIS_STEPS)[number];
export type EvaluationStep = (typeof EVALUATION_STEPS)[number];

/** The three parts models play in synthesis (paper, B): each may be another model. */
export const MODEL_ROLES = ['synthesis', 'user', 'assistant'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
