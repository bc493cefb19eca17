import * as z from 'zod';
import { formatCount } from '../text/count-text';
import { matchLabelSchema } from './match-label';

/**
 * A line of a file of human labels (paper, A.1): a preference, a checklist, and for each of its entries the labels of the raters, usually three.
 * Raters may differ between pairs.
 */
export const labelledPairSchema = z
  .object({
    preference: z.string().min(1),
    checklist: z.array(z.string().min(1)).min(1),
    labels: z.array(z.array(matchLabelSchema).min(1)),
  })
  .superRefine(({ checklist, labels }, context) => {
    if (labels.length === checklist.length) return;
    context.addIssue({
      code: 'custom',
      path: ['labels'],
      message: `expected one list of all raters' labels for each checklist entry, found ${formatCount(labels.length, 'list')} for ${formatCount(checklist.length, 'entry', 'entries')}`,
    });
  });
export type LabelledPair = z.infer<typeof labelledPairSchema>;
