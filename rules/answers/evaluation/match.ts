import { MATCH_LABELS, type MatchLabel } from '../../../schemas/matching/match-label';
import { accept, reject, type CheckResult } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { isSameText } from '../../texts/spelling';
import { parseFencedJson } from '../form/fence';
import { findLabel } from '../form/label';
import { isLeftOut, renumberFromOne, parseNumber, validateNumbering } from '../form/numbering';
import { getFields, getList } from '../form/shape';

interface Result {
  label: MatchLabel;
  index: number | undefined;
  /** The entry's words as the answer repeats them, or ''. */
  entry: string;
}

/**
 * Returns the labels of a checklist's entries, in the checklist's order (paper, 2.3): `{"results":[…]}`, or the bare list, which is PrefMatcher's
 * form. Each result is assigned to an entry by index, else by the entry's words, else by position. Indexes from 0 to n−1 count as 1 to n. The rest
 * of the result must not contradict the assignment.
 */
export function checkMatch(text: string, checklist: readonly string[]): CheckResult<MatchLabel[]> {
  const list = getList(parseFencedJson(text), 'results');
  if (!list.ok) return list;
  const { results, problems } = readResults(list.value);
  if (problems.length > 0) return reject(problems);
  const numbers = listNumbers(results, checklist);
  const uneven = [
    ...validateNumbering(numbers, checklist.length, 'result', (number) => formatEntryName(checklist, number)),
    ...listContradictions(results, numbers, checklist),
  ];
  if (uneven.length > 0) return reject(uneven);
  const labels = new Map(results.map(({ label }, index) => [numbers[index], label]));
  return accept(checklist.flatMap((_, index) => labels.get(index + 1) ?? []));
}

function readResults(list: readonly unknown[]): { results: Result[]; problems: string[] } {
  const results: Result[] = [];
  const problems: string[] = [];
  for (const [place, value] of list.entries()) {
    const fields = getFields(value);
    if (fields === undefined) {
      problems.push(`result ${place + 1} must be a mapping with index, entry and label`);
      continue;
    }
    const entry = typeof fields['entry'] === 'string' ? fields['entry'] : '';
    const label = findLabel(fields['label'], MATCH_LABELS);
    const index = parseNumber(fields['index']);
    const name = `result ${place + 1}${entry === '' ? '' : ` (${quoteAnswer(entry)})`}`;
    if (label === undefined) problems.push(`${name}: ${describeLabelProblem(fields['label'])}`);
    if (index === undefined && !isLeftOut(fields['index']))
      problems.push(`${name}: index must be the checklist entry's number`);
    if (label !== undefined) results.push({ label, index, entry });
  }
  return { results, problems };
}

function describeLabelProblem(label: unknown): string {
  const labelList = MATCH_LABELS.map(quoteAnswer).join(', ');
  return typeof label === 'string'
    ? `label ${quoteAnswer(label)} is not one of ${labelList}`
    : `label must be one of ${labelList}`;
}

/** Returns the number, from 1, of the checklist entry that each result is for. */
function listNumbers(results: readonly Result[], checklist: readonly string[]): number[] {
  const indexes = results.flatMap(({ index }) => index ?? []);
  if (indexes.length === results.length) return renumberFromOne(indexes, checklist.length);
  const places = results.map(({ entry }) => listEntryNumbers(entry, checklist));
  const byWords = places.every((numbers) => numbers.length === 1);
  return byWords ? places.flat() : results.map((_, place) => place + 1);
}

/** Reports results whose index or words belong to another entry than they are assigned to. */
function listContradictions(
  results: readonly Result[],
  numbers: readonly number[],
  checklist: readonly string[],
): string[] {
  const numbered = results.every(({ index }) => index !== undefined);
  return results.flatMap(({ index, entry }, place) => {
    const number = numbers[place] ?? 0;
    if (!numbered && index !== undefined && index !== number)
      return [`result ${place + 1} has the index ${index}, but it stands for checklist entry ${number}`];
    const places = listEntryNumbers(entry, checklist);
    const [entryNumber] = places;
    const outside = number < 1 || number > checklist.length;
    return outside || entryNumber === undefined || places.includes(number)
      ? []
      : [
          `result ${place + 1} is numbered ${number}, but its words are those of ${formatEntryName(checklist, entryNumber)}`,
        ];
  });
}

/** Returns the numbers of the checklist entries with these words; several if the checklist repeats itself. */
function listEntryNumbers(entry: string, checklist: readonly string[]): number[] {
  const words = normalizeEntry(entry);
  return checklist.flatMap((listed, index) => (isSameText(normalizeEntry(listed), words) ? index + 1 : []));
}

/** Removes from an entry its number in the list, bold type and quotation marks. */
function normalizeEntry(entry: string): string {
  return entry
    .replaceAll(/\*\*|[“”"]/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^\s*(?:\d+[.)]|-)\s+/, '');
}

function formatEntryName(checklist: readonly string[], number: number): string {
  return `checklist entry ${number} (${quoteAnswer(checklist[number - 1] ?? '')})`;
}
