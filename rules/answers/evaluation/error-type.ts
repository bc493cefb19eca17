import { ERROR_TYPES, type ErrorType } from '../../../schemas/evaluation';
import { accepted, quoted, rejected, type Checked } from '../form/checks';
import { readJson } from '../form/fence';
import { labelIn } from '../form/label';
import { fieldsOf } from '../form/shape';

/** What went wrong with an inferred preference, and how the model came to say so. */
export interface ErrorClass {
  type: ErrorType;
  explanation: string;
}

/** The kind of error of an inferred preference (paper, table 2): `{"explanation":…,"type":…}`. */
export function checkErrorType(text: string): Checked<ErrorClass> {
  const read = readJson(text);
  if (!read.ok) return read;
  const fields = fieldsOf(read.value);
  if (fields === undefined) return rejected(['the answer must be a mapping with "explanation" and "type"']);
  const type = labelIn(fields['type'], ERROR_TYPES);
  const explanation = typeof fields['explanation'] === 'string' ? fields['explanation'].trim() : '';
  if (type !== undefined && explanation !== '') return accepted({ type, explanation });
  const problems = explanation === '' ? ['"explanation" must be a text that says why'] : [];
  if (type === undefined) {
    const given = typeof fields['type'] === 'string' ? `, not ${quoted(fields['type'])}` : '';
    problems.push(`"type" must be one of ${ERROR_TYPES.map(quoted).join(', ')}${given}`);
  }
  return rejected(problems);
}
