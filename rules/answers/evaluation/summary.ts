import { sessionSummarySchema, type SessionSummary } from '../../../schemas/evaluation';
import { accepted, rejected, type Checked } from '../form/checks';
import { readJson } from '../form/fence';
import { countedFromOne, numberIn, numberingProblems } from '../form/numbering';
import { fieldsOf, listUnder, shapeEach } from '../form/shape';

/**
 * The summaries of a history (paper, figure 23), in the order of the sessions: `{"summaries":[…]}`, one for each session, lined
 * up by `session_id`. Neither list may be empty: whoever opens a session has something at hand and wants something.
 * @param sessions how many there are
 */
export function checkSummary(text: string, sessions: number): Checked<SessionSummary[]> {
  const read = readJson(text);
  if (!read.ok) return read;
  const list = listUnder(read.value, 'summaries');
  if (!list.ok) return list;
  const { values, problems } = shapeEach(sessionSummarySchema, list.value, 'summary');
  if (problems.length > 0) return rejected(problems);
  const given = list.value.map((entry) => numberIn(fieldsOf(entry)?.['session_id']));
  const misshapen = values.flatMap((summary, index) => [
    ...(given[index] === undefined ? [`summary ${index + 1}: session_id must be the session's number`] : []),
    ...textProblems(summary, index),
  ]);
  if (misshapen.length > 0) return rejected(misshapen);
  const numbers = countedFromOne(
    given.filter((number) => number !== undefined),
    sessions,
  );
  const uneven = numberingProblems(numbers, sessions, {
    thing: 'summary',
    name: (number) => `session ${number}`,
  });
  if (uneven.length > 0) return rejected(uneven);
  return accepted(
    values
      .map((summary, index) => ({ summary, number: numbers[index] ?? 0 }))
      .toSorted((one, other) => one.number - other.number)
      .map(({ summary }) => summary),
  );
}

function textProblems(summary: SessionSummary, index: number): string[] {
  return Object.entries(summary).flatMap(([field, texts]) => {
    if (texts.length === 0) return [`summary ${index + 1}: ${field} must have at least one entry`];
    const blank = texts.indexOf('');
    return blank < 0 ? [] : [`summary ${index + 1}: ${field}, entry ${blank + 1} is empty`];
  });
}
