import {
  CONTRADICTION_VERDICTS,
  type ContradictionVerdict,
} from '../../../schemas/verification/verification';
import { accept, quoteAnswer, reject, type CheckResult } from '../form/checks';
import { parseFencedJson } from '../form/fence';
import { findLabel } from '../form/label';
import { getFields } from '../form/shape';

/** Whether two preferences contradict each other, and why. */
export interface Contradiction {
  verdict: ContradictionVerdict;
  explanation: string;
}

/** Whether one response could satisfy two preferences (paper, 3.1): `{"explanation":…,"verdict":…}`. */
export function checkContradiction(text: string): CheckResult<Contradiction> {
  const read = parseFencedJson(text);
  if (!read.ok) return read;
  const fields = getFields(read.value);
  const verdict = findLabel(fields?.['verdict'], CONTRADICTION_VERDICTS);
  if (verdict === undefined) {
    return reject([`"verdict" must be one of ${CONTRADICTION_VERDICTS.map(quoteAnswer).join(', ')}`]);
  }
  const explanation = typeof fields?.['explanation'] === 'string' ? fields['explanation'].trim() : '';
  return accept({ verdict, explanation });
}
