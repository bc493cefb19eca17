import {
  buildRules,
  findJudgement,
  judgeAnswer,
  judgeEntry,
  type AnswerRules,
} from '../../../../rules/method/judge';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { buildJournalEntry } from '../../../journal-entry';

/** Accepts a number; 0 is doubtful. */
const RULES = buildRules(
  (text) => {
    const value = Number(text);
    if (Number.isNaN(value)) return { ok: false, reason: 'it is no number' };
    return { ok: true, value, ...(value === 0 ? { doubt: 'it is 0' } : {}) };
  },
  (score) => ({ score, selected: [] }),
);

const judge = (answer: Partial<JournalEntry['answer']>, rules: Partial<AnswerRules> = {}) =>
  judgeAnswer(buildJournalEntry('k', answer), { step: 'user', attempt: 1 }, { ...RULES, ...rules }, 50);

const bad = (problem: string) => ({ outcome: { state: 'bad' }, problem });
const good = (score: number) => ({
  outcome: { state: 'good', facts: { score, selected: [] } },
  value: score,
});
const usedUp = (step: string) => ({
  outcome: { state: 'bad', cause: 'reasoning' },
  problem: `reasoning used up the token limit (maxTokens 50, and the room for reasoning); for the step ${step}, set in --settings: reasoningEffort: low, body with the switch of your server, or a larger maxTokens`,
});
const CUT = 'it was cut off at the limit of 50 tokens; answer more briefly';

test.each<[string, Partial<JournalEntry['answer']>, Partial<AnswerRules>, object]>([
  ['keeps its rules', { text: '7' }, {}, good(7)],
  [
    'is in doubt',
    { text: '0' },
    {},
    { ...good(0), outcome: { ...good(0).outcome, state: 'doubtful' }, problem: 'it is 0' },
  ],
  ['breaks a rule', { text: 'x' }, {}, bad('it is no number')],
  ['is cut off', { text: '7', finish: 'length' }, {}, bad(CUT)],
  ['is cut off, and taken', { text: '7', finish: 'length' }, { takesCut: true }, good(7)],
  ['is cut off in its reasoning', { text: '7', finish: 'reasoning' }, { takesCut: true }, usedUp('user')],
  [
    'is bad with its reasoning',
    { text: '', raw: 'x', finish: 'reasoning' },
    { takesRaw: true },
    { outcome: { state: 'bad', cause: 'reasoning' }, problem: 'it is no number' },
  ],
  [
    'failed',
    { text: '7', finish: 'failed', failure: 'MALFORMED_RESPONSE' },
    { takesCut: true, takesRaw: true },
    bad('the provider ended the answer with MALFORMED_RESPONSE'),
  ],
  ['is taken with its reasoning', { text: '', raw: '7', finish: 'reasoning' }, { takesRaw: true }, good(7)],
  ['is taken without its reasoning', { text: '7', raw: 'Hm. 7' }, {}, good(7)],
])('an answer that %s', (_, answer, rules, expected) => {
  expect(judge(answer, rules)).toEqual(expected);
});

test.each([
  ['', 'simulated:default refused to play the user of a dialogue (attempt 2)'],
  [' I cannot. ', 'simulated:default refused to play the user of a dialogue (attempt 2): I cannot.'],
])('a refusal quotes what the model said: %j', (text, problem) => {
  const outcome = { state: 'unanswered', kind: 'refused' };
  expect(judge({ text, finish: 'refused' })).toEqual({ outcome, problem });
});

test('an entry is judged once; its judgment belongs to no other entry', () => {
  const check = jest.fn(RULES.check);
  const entry = buildJournalEntry('k', { text: '7' });
  const judged = judgeEntry(entry, { step: 'user', attempt: 0 }, { check }, 50);
  expect(judgeEntry(entry, { step: 'user', attempt: 0 }, { check }, 50)).toBe(judged);
  expect(findJudgement(entry)).toBe(judged);
  expect(judged).toMatchObject(good(7));
  expect(check).toHaveBeenCalledTimes(1);
  expect(findJudgement(buildJournalEntry('k', { text: '7' }))).toBeUndefined();
});
