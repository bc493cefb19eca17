import { checklistSchema } from '../../../schemas/dataset/session';
import { accept, isOmitted, isPlaceholder, reject, type CheckResult } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { isSameText } from '../../texts/spelling';
import { parseFencedJson } from '../form/fence';
import { stripNumbers } from '../form/numbering';
import { getList } from '../form/shape';

/** Returns the questions that a preference is decomposed into: `{"checklist":[…]}`, one to four, all different (paper, 2.3). */
export function checkChecklist(text: string): CheckResult<string[]> {
  const list = getList(parseFencedJson(text), 'checklist');
  if (!list.ok) return list;
  const entries = stripNumbers(list.value);
  const problems = validateChecklist(entries);
  return problems.length > 0 ? reject(problems) : accept(checklistSchema.parse(entries));
}

export function validateChecklist(list: readonly unknown[]): string[] {
  const problems = list.flatMap((entry, index) => {
    if (typeof entry !== 'string') return [`checklist entry ${index + 1} must be a text`];
    if (entry.trim() === '') return [`checklist entry ${index + 1} is empty`];
    if (isOmitted(entry) || isPlaceholder(entry) || !/\p{L}/u.test(entry))
      return [`checklist entry ${index + 1} is no question: ${quoteAnswer(entry)}`];
    const first = list.findIndex(
      (candidate) => typeof candidate === 'string' && isSameText(candidate, entry),
    );
    return first < index
      ? [`checklist entry ${index + 1} repeats entry ${first + 1}: ${quoteAnswer(entry)}`]
      : [];
  });
  if (list.length < 1 || list.length > 4) {
    problems.unshift(`the checklist must have 1 to 4 entries, but it has ${list.length}`);
  }
  return problems;
}
