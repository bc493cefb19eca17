import { accept, isOmitted, reject, type CheckResult } from '../form/checks';
import { parseFencedJson } from '../form/fence';
import { getFields } from '../form/shape';

/** Returns the expected response as far as a request alone reveals it (paper, 3.2), empty for nothing: `{"explanation":…,"expectation":…}`. */
export function checkGuess(text: string): CheckResult<string> {
  const read = parseFencedJson(text);
  if (!read.ok) return read;
  const fields = getFields(read.value);
  const expectation = fields?.['expectation'];
  if (expectation === null) return accept('');
  if (typeof expectation !== 'string') {
    return reject(['"expectation" must be a text that says what the response must be like, or null']);
  }
  return accept(isOmitted(expectation) ? '' : expectation.trim());
}
