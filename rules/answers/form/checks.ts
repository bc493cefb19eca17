import { trimText } from '../../../schemas/model/answer-text';
import { formatCount } from '../../../schemas/text/count-text';
import { stripFinalStop } from '../../texts/spelling';
import { countWords } from '../../texts/words';

/**
 * A model's answer after checking: its value, or the reason why it has none. With a `doubt`, a usable value is asked for once more. `reason` and
 * `doubt` are sentences to the model that gave the answer.
 */
export type CheckResult<T> = { ok: true; value: T; doubt?: string } | { ok: false; reason: string };

/** Maximum number of problems in one reason, because a model fixes a few at a time. */
const LISTED_PROBLEMS = 5;

export function accept<T>(value: T, doubt?: string): CheckResult<T> {
  return doubt === undefined ? { ok: true, value } : { ok: true, value, doubt };
}

/** Rejects an answer for these problems, and lists the first five. */
export function reject(problems: readonly string[]): {
  ok: false;
  reason: string;
} {
  const unlistedCount = problems.length - LISTED_PROBLEMS;
  const listed = problems.slice(0, LISTED_PROBLEMS);
  if (unlistedCount > 0) listed.push(`and ${formatCount(unlistedCount, 'more problem')} like these`);
  return { ok: false, reason: `${listed.join('; ')}.` };
}

/** Rejects an answer that ended at its token limit. */
export function rejectCutOff(maxTokens: number): { ok: false; reason: string } {
  return { ok: false, reason: `it was cut off at the limit of ${maxTokens} tokens; answer more briefly` };
}

/** Rejects an answer whose reasoning left no room for its text. No model is shown the reason: it says what a user can set. */
export function rejectUsedUpByReasoning(step: string, maxTokens: number): { ok: false; reason: string } {
  const limit = `reasoning used up the token limit (maxTokens ${maxTokens}, and the room for reasoning)`;
  const settings = 'reasoningEffort: low, body with the switch of your server, or a larger maxTokens';
  return { ok: false, reason: `${limit}; for the step ${step}, set in --settings: ${settings}` };
}

/** Rejects an attempt that ended by a mistake of the model or its server. */
export function rejectFailed(reason: string): { ok: false; reason: string } {
  return { ok: false, reason: `the provider ended the answer with ${reason}` };
}

/**
 * Returns the text without spaces and invisible characters around it. Rejects an empty text, and one that is not well-formed Unicode, which no
 * data set could hold.
 */
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

/** Returns true for a placeholder of a form that was not filled in: `<the preference, in one sentence>`, `[The single sentence]`. */
export function isPlaceholder(text: string): boolean {
  return (
    /^(?:<[^<>\n/]*\s[^<>\n]*>|\[[^[\]\n]*[^[\]\n.!?]\])$/.test(text.trim()) &&
    countWords(text) <= MOST_PLACEHOLDER_WORDS
  );
}

/** The longest placeholder of the built-in prompts has sixteen words. */
const MOST_PLACEHOLDER_WORDS = 20;

/** Returns true for words that leave an optional field out: empty, `null`, `~`, `N/A`, `none`. */
export function isOmitted(text: string): boolean {
  return ['', 'null', '~', 'n/a', 'none'].includes(stripFinalStop(text).toLowerCase());
}

/** Returns the message that asks a model again after an unusable answer. */
export function formatRepairRequest(reason: string): string {
  return `I could not use that answer: ${reason}\n\nPlease answer once more, the whole answer from its beginning, in exactly the form you were asked for, with this put right.`;
}
