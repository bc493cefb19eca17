import { MATCH_LABELS, type MatchLabel } from '../../../schemas/matching/match-label';
import { accept, reject, type CheckResult, isWellFormed } from '../form/checks';
import { getFields } from '../form/shape';

/*
 * Reads answers as the authors' program does, so that numbers can be compared with its own. Nothing is asked again, and unreadable answers become
 * what that program makes of them. Only lone surrogates differ: they become U+FFFD, because no data set can hold them.
 */

/** Returns the first line below the first heading, stripped; '' without the heading. */
export function parseReferenceInference(text: string): string {
  const [, following = ''] = text.split('### Most Likely Preference');
  const [line = ''] = following.trim().split('\n');
  return makeWellFormed(line.trim());
}

/**
 * Returns the list under "checklist" of the fenced JSON, of any length. Rejects an answer where the authors' program raises and drops the
 * instance.
 */
export function parseReferenceChecklist(text: string): CheckResult<string[]> {
  const checklist = getFields(parseReferenceJson(text))?.['checklist'];
  return Array.isArray(checklist) && checklist.every((entry) => typeof entry === 'string')
    ? accept(checklist.map(makeWellFormed))
    : reject(['the answer holds no list of texts under the key "checklist"']);
}

/**
 * Returns the labels of the entries in the answer, not assigned to the checklist. A label spelled otherwise is "Not Covered". Empty if nothing can
 * be read, which counts as nothing matched.
 */
export function parseReferenceMatch(text: string): MatchLabel[] {
  const value = parseReferenceJson(text);
  const results: unknown = Array.isArray(value) ? value : getFields(value)?.['results'];
  if (!Array.isArray(results)) return [];
  return results.map((result: unknown) => {
    const label = getFields(result)?.['label'];
    return MATCH_LABELS.find((matchLabel) => matchLabel === label) ?? 'Not Covered';
  });
}

/**
 * Returns the whole number below the score's heading, cut at the first `/`, then `.`, then blank line. So 8.5 is 8, 85 is 85, and "8 out of 10" or
 * no heading is 0. The analysis is the text before the heading, or the whole text.
 */
export function parseReferenceScore(text: string): { score: number; analysis: string } {
  const heading = ['### **Evaluation Score**', '### Evaluation Score'].find((candidate) =>
    text.includes(candidate),
  );
  if (heading === undefined) return { score: 0, analysis: makeWellFormed(text.trim()) };
  const [before = '', following = ''] = text.split(heading);
  const number = ['/', '.', '\n\n'].reduce((left, cut) => left.split(cut)[0] ?? '', following.trim());
  return { score: parseInteger(number.replaceAll('**', '')), analysis: makeWellFormed(before.trim()) };
}

/** Returns the JSON between the first opener and the last fence, else of the whole text; undefined if it cannot be parsed. */
function parseReferenceJson(text: string): unknown {
  const opener = /```(?:json|yaml)/.exec(text);
  const start = opener === null ? 0 : opener.index + opener[0].length;
  const end = opener === null ? text.length : text.lastIndexOf('```');
  try {
    return JSON.parse(text.slice(start, end));
  } catch {
    return undefined;
  }
}

/** Parses an integer as Python's `int` does; 0 for anything else, and for integers that a number cannot hold. */
function parseInteger(text: string): number {
  const digits = text.trim();
  const number = /^[+-]?\d+$/.test(digits) ? Number(digits) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

function makeWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}');
}
