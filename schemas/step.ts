import { z } from 'zod';

/** The steps that ask a model, by the name that stands in journal keys, settings and reports. */
export const SYNTHESIS_STEPS = ['describe', 'factors', 'journey', 'checklist', 'assistant', 'user'] as const;
export const stepSchema = z.enum(SYNTHESIS_STEPS);
export type Step = z.infer<typeof stepSchema>;

/** The three parts models play in synthesis (paper, B): each may be another model. */
export const MODEL_ROLES = ['synthesis', 'user', 'assistant'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
