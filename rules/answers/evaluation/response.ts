import { type Checked, checkText } from '../form/checks';

/** The response of a model under test, stripped; anything but nothing will do. */
export function checkResponse(text: string): Checked<string> {
  return checkText(text);
}
