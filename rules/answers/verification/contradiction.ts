import {
  CONTRADICTION_VERDICTS,
  type ContradictionVerdict,
} from '../../../schemas/verification/verification';
import { reject, type CheckResult } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { parseFencedJson } from '../form/fence';
import { findLabel } from '../form/label';
import { orderByNumber } from '../form/numbering';
import { getFields, getList } from '../form/shape';

export interface Contradiction {
  verdict: ContradictionVerdict;
  explanation: string;
}

/**
 * Returns for each pair whether one response could satisfy both preferences (paper, 3.1): `{"results":[…]}`.
 * @param pairs number of pairs
 */
export function checkContradictions(text: string, pairs: number): CheckResult<Contradiction[]> {
  const list = getList(parseFencedJson(text), 'results');
  if (!list.ok) return list;
  const indexes: unknown[] = [];
  const contradictions: Contradiction[] = [];
  for (const [place, value] of list.value.entries()) {
    const fields = getFields(value);
    const verdict = findLabel(fields?.['verdict'], CONTRADICTION_VERDICTS);
    if (verdict === undefined) {
      const verdictNames = CONTRADICTION_VERDICTS.map(quoteAnswer).join(', ');
      return reject([`result ${place + 1}: "verdict" must be one of ${verdictNames}`]);
    }
    const explanation = typeof fields?.['explanation'] === 'string' ? fields['explanation'].trim() : '';
    contradictions.push({ verdict, explanation });
    indexes.push(fields?.['index']);
  }
  return orderByNumber(contradictions, indexes, pairs, 'result', (number) => `pair ${number}`);
}
