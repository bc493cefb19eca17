import { checkText } from '../form/text';
import type { Checked } from '../form/checks';

/** The assistant's message, stripped; anything but nothing will do. */
export function checkAssistantTurn(text: string): Checked<string> {
  return checkText(text);
}
