import { toUSVString } from 'node:util';
import { formatNumber } from '../../schemas/text/count-text';

/**
 * Returns the reason why a foreign text cannot go into a prompt and a data set, or undefined when it can.
 * @param longest characters
 * @param subject it should be at most that long, such as `one sentence`
 */
export function findTextProblem(text: string, longest: number, subject: string): string | undefined {
  if (toUSVString(text) !== text) return 'half of a surrogate pair, which is not a character';
  const [control] = /[^\P{Cc}\n\t]/u.exec(text) ?? [];
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `the control character U+${code}, which models and databases reject`;
  }
  if (text.length > longest) {
    return `${formatNumber(text.length)} characters, expected at most ${formatNumber(longest)} in ${subject}`;
  }
  return undefined;
}
