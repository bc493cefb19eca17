import { sessionSummarySchema, type SessionSummary } from '../../../schemas/evaluation/evaluation';
import { reject, type CheckResult } from '../form/checks';
import { parseFencedJson } from '../form/fence';
import { orderByNumber, parseNumber } from '../form/numbering';
import { getFields, getList, parseEntries } from '../form/shape';

/**
 * Returns the summaries of a history (paper, figure 23), in the order of the sessions: `{"summaries":[…]}`, one for each `session_id`. Neither
 * list of a summary may be empty, because a user who opens a session has a task and a wish.
 * @param sessions number of sessions
 */
export function checkSummary(text: string, sessions: number): CheckResult<SessionSummary[]> {
  const list = getList(parseFencedJson(text), 'summaries');
  if (!list.ok) return list;
  const { values, problems } = parseEntries(sessionSummarySchema, list.value, 'summary');
  if (problems.length > 0) return reject(problems);
  const sessionNumbers = list.value.map((entry) => parseNumber(getFields(entry)?.['session_id']));
  const misshapen = values.flatMap((summary, index) => [
    ...(sessionNumbers[index] === undefined
      ? [`summary ${index + 1}: session_id must be the session's number`]
      : []),
    ...validateText(summary, index),
  ]);
  if (misshapen.length > 0) return reject(misshapen);
  const numbers = sessionNumbers.filter((number) => number !== undefined);
  return orderByNumber(values, numbers, sessions, 'summary', (number) => `session ${number}`);
}

function validateText(summary: SessionSummary, index: number): string[] {
  return Object.entries(summary).flatMap(([field, texts]) => {
    if (texts.length === 0) return [`summary ${index + 1}: ${field} must have at least one entry`];
    const blank = texts.indexOf('');
    return blank < 0 ? [] : [`summary ${index + 1}: ${field}, entry ${blank + 1} is empty`];
  });
}
