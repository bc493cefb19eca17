import { type CheckResult, checkText } from '../form/checks';

/** The response of a model under test, stripped; anything but nothing will do. */
export function checkResponse(text: string): CheckResult<string> {
  return checkText(text);
}
