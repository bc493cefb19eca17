import * as z from 'zod';

/** Paper, table 7. */
export const FACTOR_TYPES = [
  'Person/Group',
  'Organization/Institution',
  'Object/Artifact',
  'Content/Media',
  'Tool/Technology',
  'Location/Place',
  'Process/Activity',
  'Event/Time',
] as const;

/** Paper, table 7. */
export const TASK_TYPES = [
  'Information seeking',
  'Learning',
  'Reasoning',
  'Planning',
  'Content creating',
  'Communicating',
  'Writing & editing',
  'Coding & debugging',
  'Problem solving',
  'Data analysing',
  'Advise seeking',
  'Brainstorming',
] as const;

/** Paper, table 7. */
export const PREFERENCE_GROUPS = {
  Style: ['Formality', 'Clarity', 'Conciseness', 'Vividness', 'Format', 'Tone'],
  Informativeness: ['Relevance', 'Depth', 'Creativity', 'Efficiency', 'Practicality'],
  Harmlessness: ['Accuracy', 'Morality', 'Safety', 'Sensitivity', 'Trustworthiness'],
} as const;

export const PREFERENCE_TYPES = [
  ...PREFERENCE_GROUPS.Style,
  ...PREFERENCE_GROUPS.Informativeness,
  ...PREFERENCE_GROUPS.Harmlessness,
] as const;

/** `related_factor` of every factor outside the contrastive pair. */
export const NO_RELATED_FACTOR = 'N/A';

/** An element of the persona's world, and the contextual preference that comes with it (paper, 2.1 and B.2). */
export const contextFactorSchema = z.object({
  /** From the run's taxonomy, like the task types and the preference type. */
  factor_type: z.string().trim().min(1),
  background: z.string().trim().min(1),
  factor: z.string().trim().min(1),
  task_types: z.array(z.string().trim().min(1)).min(1),
  preference_type: z.string().trim().min(1),
  preference: z.string().trim().min(1),
  /** The full name of the contrastive partner, or `N/A`. */
  related_factor: z.string().trim().min(1),
});
export type ContextFactor = z.infer<typeof contextFactorSchema>;
