import { MATCH_LABELS, type MatchLabel } from '../../../schemas/evaluation/evaluation';
import { accept, reject, type CheckResult, isWellFormed } from '../form/checks';
import { getFields } from '../form/shape';

/*
 * How the authors' program reads answers, for numbers that can be compared with its own: nothing here is asked again, and what
 * cannot be read becomes what that program makes of it. Only lone surrogates are different: as no data set can hold them, they become U+FFFD.
 */

/** Returns the first line of what follows the first heading, stripped; '' without the heading. */
export function parseReferenceInference(text: string): string {
  const [, following = ''] = text.split('### Most Likely Preference');
  const [line = ''] = following.trim().split('\n');
  return makeWellFormed(line.trim());
}

/** Returns the list under "checklist" of the fenced JSON, of any length; rejected where the program raised, so that it dropped the instance. */
export function parseReferenceChecklist(text: string): CheckResult<string[]> {
  const checklist = getFields(parseJson(text))?.['checklist'];
  return Array.isArray(checklist) && checklist.every((entry) => typeof entry === 'string')
    ? accept(checklist.map(makeWellFormed))
    : reject(['the answer holds no list of texts under the key "checklist"']);
}

/**
 * Returns the labels of the entries that there are, not lined up with anything: a label spelled otherwise is "Not Covered". Empty where
 * nothing can be read, which counts as nothing matched.
 */
export function parseReferenceMatch(text: string): MatchLabel[] {
  const value = parseJson(text);
  const results: unknown = Array.isArray(value) ? value : getFields(value)?.['results'];
  if (!Array.isArray(results)) return [];
  return results.map((result: unknown) => {
    const label = getFields(result)?.['label'];
    return MATCH_LABELS.find((known) => known === label) ?? 'Not Covered';
  });
}

/**
 * What follows the score's heading, cut at the first `/`, then `.`, then blank line, as a whole number: 8.5 is 8, 85 is 85, and "8 out of
 * 10" or no heading is 0. The analysis is what stands before the heading, or the whole text.
 */
export function parseReferenceScore(text: string): { score: number; analysis: string } {
  const heading = ['### **Evaluation Score**', '### Evaluation Score'].find((one) => text.includes(one));
  if (heading === undefined) return { score: 0, analysis: makeWellFormed(text.trim()) };
  const [before = '', following = ''] = text.split(heading);
  const number = ['/', '.', '\n\n'].reduce((left, cut) => left.split(cut)[0] ?? '', following.trim());
  return { score: parseInteger(number.replaceAll('**', '')), analysis: makeWellFormed(before.trim()) };
}

/** Returns the JSON between the first opener and the last fence, else of the whole text; undefined when it cannot be parsed. */
function parseJson(text: string): unknown {
  const opener = /```(?:json|yaml)/.exec(text);
  const start = opener === null ? 0 : opener.index + opener[0].length;
  const end = opener === null ? text.length : text.lastIndexOf('```');
  try {
    return JSON.parse(text.slice(start, end));
  } catch {
    return undefined;
  }
}

/** What Python's `int` takes, as far as a score can be kept. */
function parseInteger(text: string): number {
  const digits = text.trim();
  const number = /^[+-]?\d+$/.test(digits) ? Number(digits) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

function makeWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}');
}
