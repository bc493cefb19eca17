/** The three roles of models in synthesis (paper, B); each may have another model. */
export const MODEL_ROLES = ['synthesis', 'user', 'assistant'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
