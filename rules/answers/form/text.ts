import { accepted, rejected, type Checked } from './checks';

/** The text without blanks around it, if there is any and it is well-formed Unicode: else no data set could hold it. */
export function checkText(text: string): Checked<string> {
  if (!isWellFormed(text)) {
    return rejected([
      'the answer holds half of a character (a lone surrogate), which is not valid Unicode text',
    ]);
  }
  const stripped = text.trim();
  return stripped === '' ? rejected(['the answer is empty']) : accepted(stripped);
}

/** Whether the text has no lone surrogates. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** What makes two spellings of a factor or preference the same: neither blanks around it nor a final full stop count. */
export function spelling(text: string): string {
  return text.trim().replace(/\s*\.$/, '');
}

/** Whether two texts say the same but for blanks around them, a final full stop, and upper or lower case. */
export function sameWords(one: string, other: string): boolean {
  return spelling(one).toLowerCase() === spelling(other).toLowerCase();
}

/** Whether an optional field was left out in words: empty, `null`, `~`, `N/A`, `none`. */
export function saysNothing(text: string): boolean {
  return ['', 'null', '~', 'n/a', 'none'].includes(spelling(text).toLowerCase());
}

/** How many words a text has: pieces between blanks, as Python's `split()` cuts it. */
export function wordCount(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
}
