import { checklistSchema } from '../../../schemas/session';
import { accepted, quoted, rejected, type Checked, sameWords } from '../form/checks';
import { readJson } from '../form/fence';
import { listUnder } from '../form/shape';

/** A preference taken apart into questions: `{"checklist":[…]}`, one to four, all different (paper, 2.3). */
export function checkChecklist(text: string): Checked<string[]> {
  const read = readJson(text);
  if (!read.ok) return read;
  const list = listUnder(read.value, 'checklist');
  if (!list.ok) return list;
  const problems = checklistProblems(list.value);
  return problems.length > 0 ? rejected(problems) : accepted(checklistSchema.parse(list.value));
}

/** What keeps a list from being a checklist. */
export function checklistProblems(list: readonly unknown[]): string[] {
  const problems = list.flatMap((entry, index) => {
    if (typeof entry !== 'string') return [`checklist entry ${index + 1} must be a text`];
    if (entry.trim() === '') return [`checklist entry ${index + 1} is empty`];
    const first = list.findIndex((other) => typeof other === 'string' && sameWords(other, entry));
    return first < index ? [`checklist entry ${index + 1} repeats entry ${first + 1}: ${quoted(entry)}`] : [];
  });
  if (list.length < 1 || list.length > 4) {
    problems.unshift(`the checklist must have 1 to 4 entries, but it has ${list.length}`);
  }
  return problems;
}
