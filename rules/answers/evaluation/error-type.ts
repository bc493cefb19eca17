import { ERROR_TYPES, type ErrorType } from '../../../schemas/evaluation/evaluation';
import { accept, reject, type CheckResult } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { parseFencedJson } from '../form/fence';
import { findLabel } from '../form/label';
import { getFields } from '../form/shape';

/** Type of error of an inferred preference, with the labeler's explanation. */
interface ErrorClass {
  type: ErrorType;
  explanation: string;
}

/** Checks the error type of an inferred preference (paper, table 2): `{"explanation":…,"type":…}`. */
export function checkErrorType(text: string): CheckResult<ErrorClass> {
  const read = parseFencedJson(text);
  if (!read.ok) return read;
  const fields = getFields(read.value);
  if (fields === undefined) return reject(['the answer must be a mapping with "explanation" and "type"']);
  const type = findLabel(fields['type'], ERROR_TYPES);
  const explanation = typeof fields['explanation'] === 'string' ? fields['explanation'].trim() : '';
  if (type !== undefined && explanation !== '') return accept({ type, explanation });
  const problems = explanation === '' ? ['"explanation" must be a text that says why'] : [];
  if (type === undefined) {
    const typeNote = typeof fields['type'] === 'string' ? `, not ${quoteAnswer(fields['type'])}` : '';
    problems.push(`"type" must be one of ${ERROR_TYPES.map(quoteAnswer).join(', ')}${typeNote}`);
  }
  return reject(problems);
}
