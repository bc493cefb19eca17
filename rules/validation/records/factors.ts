import type { RecordForm } from '../../../schemas/record';
import { pairProblems, repeatedNames } from '../../answers/synthesis/factors';
import type { Lapse } from '../finding';

/** Where the context factors are not ones of different names, of which the last two are a contrastive pair (paper, B.2). */
export function factorLapses({ context_factors: factors }: RecordForm): Lapse[] {
  return [...repeatedNames(factors), ...pairProblems(factors)].map((problem) => ({
    rule: 'contrastive-pair',
    field: 'context_factors',
    message: `${problem}.`,
  }));
}
