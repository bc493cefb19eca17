import { checkText } from '../text';
import type { Checked } from '../checked';

/** The assistant's message, stripped; anything but nothing will do. */
export function checkAssistantTurn(text: string): Checked<string> {
  return checkText(text);
}
