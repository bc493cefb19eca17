import * as z from 'zod';

/** How far a preference covers a checklist entry (paper, 2.3). */
export const MATCH_LABELS = ['Fully Covered', 'Partially Covered', 'Not Covered'] as const;
export const matchLabelSchema = z.enum(MATCH_LABELS);
export type MatchLabel = z.infer<typeof matchLabelSchema>;
