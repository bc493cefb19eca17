import { trimText } from '../../../schemas/model/answer-text';
import { formatCount } from '../../../schemas/text/count-text';

/**
 * A model's answer after checking: the value it gives, or why it gives none. `doubt` says what makes a usable value worth
 * asking for once more; `reason` and `doubt` are sentences to the model that gave the answer.
 */
export type CheckResult<T> = { ok: true; value: T; doubt?: string } | { ok: false; reason: string };

/** How many problems one reason lists; a model fixes a few at a time. */
const LISTED_PROBLEMS = 5;

export function accept<T>(value: T, doubt?: string): CheckResult<T> {
  return doubt === undefined ? { ok: true, value } : { ok: true, value, doubt };
}

/** Returns an answer that may not be used, for these problems, the first five of which are listed. */
export function reject(problems: readonly string[]): {
  ok: false;
  reason: string;
} {
  const more = problems.length - LISTED_PROBLEMS;
  const listed = problems.slice(0, LISTED_PROBLEMS);
  if (more > 0) listed.push(`and ${formatCount(more, 'more problem')} like these`);
  return { ok: false, reason: `${listed.join('; ')}.` };
}

/** Returns an answer that ended at its token limit, and so is not whole. */
export function rejectCutOff(maxTokens: number): { ok: false; reason: string } {
  return { ok: false, reason: `it was cut off at the limit of ${maxTokens} tokens; answer more briefly` };
}

/** Returns an answer whose reasoning left no room for its text. */
export function rejectUsedUpByReasoning(): { ok: false; reason: string } {
  return { ok: false, reason: 'reasoning used up the token limit' };
}

/** Returns a piece of the answer as it is quoted in a reason: on one line and not at any length. */
export function quoteAnswer(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > 200 ? `${line.slice(0, 200).replace(/\p{Cs}$/u, '')}…` : line;
  return `"${short}"`;
}

/** Returns the text without spaces or invisible characters around it, if there is any and it is well-formed Unicode: else no data set could hold it. */
export function checkText(text: string): CheckResult<string> {
  if (!isWellFormed(text)) {
    return reject([
      'the answer holds half of a character (a lone surrogate), which is not valid Unicode text',
    ]);
  }
  const stripped = trimText(text);
  return stripped === '' ? reject(['the answer is empty']) : accept(stripped);
}

export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** What makes two spellings of a factor or preference the same: neither spaces around it nor a final full stop count. */
export function normalizeSpelling(text: string): string {
  return text.trim().replace(/\s*\.$/, '');
}

/** Returns whether two texts say the same but for spaces around them, a final full stop, upper or lower case, and how Unicode composes characters. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => normalizeSpelling(text).normalize('NFKC').toLowerCase());
  return left === right;
}

/** Returns whether a text is the placeholder of a form, not filled in: `<the preference, in one sentence>`, `[The single sentence]`. */
export function isPlaceholder(text: string): boolean {
  return (
    /^(?:<[^<>\n/]*\s[^<>\n]*>|\[[^[\]\n]*[^[\]\n.!?]\])$/.test(text.trim()) &&
    countWords(text) <= MOST_PLACEHOLDER_WORDS
  );
}

/** The longest placeholder of the built-in prompts has sixteen. */
const MOST_PLACEHOLDER_WORDS = 20;

/** Returns whether an optional field was left out in words: empty, `null`, `~`, `N/A`, `none`. */
export function isOmitted(text: string): boolean {
  return ['', 'null', '~', 'n/a', 'none'].includes(normalizeSpelling(text).toLowerCase());
}

/** How many words a text has: pieces between spaces, as Python's `split()` cuts it. */
export function countWords(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
}

/** Returns the message to a model after an answer that cannot be used. */
export function formatRepairRequest(reason: string): string {
  return `I could not use that answer: ${reason}\n\nPlease answer once more, the whole answer from its beginning, in exactly the form you were asked for, with this put right.`;
}
