import type { RecordForm } from '../../../schemas/dataset/record';
import { validatePair, validateUniqueNames } from '../../answers/synthesis/factors';
import type { RowFinding } from '../finding';

/** Where the context factors are not ones of different names, of which the last two are a contrastive pair (paper, B.2). */
export function validateFactors({ context_factors: factors }: RecordForm): RowFinding[] {
  return [...validateUniqueNames(factors), ...validatePair(factors)].map((problem) => ({
    rule: 'contrastive-pair',
    field: 'context_factors',
    message: `${problem}.`,
  }));
}
