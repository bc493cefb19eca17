import * as fc from 'fast-check';
import { checkSummary } from '../../../../../rules/answers/evaluation/summary';
import { renderFencedJson, getReason, getValue } from '../../examples';

interface Entry {
  session_id?: unknown;
  analysis?: unknown;
  context?: unknown;
  preferences?: unknown;
}

const SUMMARIES = [1, 2, 3].map((number) => ({
  context: [`The user plans shift ${number} at the bakery.`, 'It begins at 4:30.'],
  preferences: [`Steps with minutes, asked for ${number} times.`],
}));

/** Returns the entries of a correct answer with some fields replaced; undefined removes a field. */
function entries(changes: Record<number, Entry> = {}): Entry[] {
  return SUMMARIES.map((summary, place) => ({
    session_id: place + 1,
    analysis: 'First the opening request, then the remarks.',
    ...summary,
    ...changes[place],
  }));
}

test.each<[string, unknown]>([
  ['the form asked for', { summaries: entries() }],
  ['the list alone', entries()],
  ['another order', { summaries: entries().toReversed() }],
  ['no analysis', { summaries: entries({ 1: { analysis: undefined } }) }],
  ['numbers as texts', { summaries: entries({ 0: { session_id: '1' }, 2: { session_id: '3.' } }) }],
  [
    'a count from 0',
    { summaries: [0, 1, 2].map((number) => ({ ...entries()[number], session_id: number })) },
  ],
  [
    'blanks around texts',
    { summaries: entries({ 1: { preferences: [' Steps with minutes, asked for 2 times.\n'] } }) },
  ],
])('one summary for each session is read, in the order of the sessions: %s', (_, answer) => {
  expect(getValue(checkSummary(renderFencedJson(answer), 3))).toEqual(SUMMARIES);
});

test.each<[string, unknown, string]>([
  ['a missing session', { summaries: entries().slice(0, 2) }, 'session 3 has no summary.'],
  [
    'an extra session',
    { summaries: [...entries(), { ...entries()[0], session_id: 4 }] },
    'summary 4 is numbered 4, but the numbers go from 1 to 3.',
  ],
  [
    'a session twice',
    { summaries: [...entries(), ...entries().slice(1, 2)] },
    'session 2 has more than one summary.',
  ],
  [
    'a session under the number of another',
    { summaries: entries({ 2: { session_id: 1 } }) },
    'session 1 has more than one summary; session 3 has no summary.',
  ],
  [
    'no number',
    { summaries: entries({ 1: { session_id: undefined } }) },
    "summary 2: session_id must be the session's number.",
  ],
  [
    'a word for a number',
    { summaries: entries({ 1: { session_id: 'two' } }) },
    "summary 2: session_id must be the session's number.",
  ],
  ['no context', { summaries: entries({ 0: { context: undefined } }) }, 'summary 1: context is missing.'],
  [
    'a text for a list',
    { summaries: entries({ 0: { context: 'Bakery' } }) },
    'summary 1: context must be a list, not "Bakery".',
  ],
  [
    'a number for a text',
    { summaries: entries({ 0: { context: ['a', 4] } }) },
    'summary 1: context, entry 2 must be one text, not the value 4.',
  ],
  [
    'an empty list',
    { summaries: entries({ 2: { preferences: [] } }) },
    'summary 3: preferences must have at least one entry.',
  ],
  [
    'a blank text',
    { summaries: entries({ 2: { preferences: ['a', ' '] } }) },
    'summary 3: preferences, entry 2 is empty.',
  ],
  [
    'a text for a summary',
    { summaries: ['All was well.'] },
    'summary 1: it must be a mapping with named fields, not a text.',
  ],
  ['no list', { sessions: entries() }, 'the answer holds no list under the key "summaries".'],
])('%s: refused with a reason', (_, answer, reason) => {
  expect(getReason(checkSummary(renderFencedJson(answer), 3))).toBe(reason);
});

test('an answer that is no JSON, or was cut off, is refused', () => {
  expect(getReason(checkSummary('', 3))).toMatch(/empty/);
  expect(getReason(checkSummary('The user plans shifts.', 3))).toMatch(/contains no JSON/);
  expect(getReason(checkSummary(renderFencedJson({ summaries: entries() }).slice(0, 300), 3))).toMatch(
    /not closed/,
  );
});

test('what is rendered is read back, in whatever order', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => `A ${text}`.trim()),
    { minLength: 1 },
  );
  const drawn = fc
    .array(fc.record({ context: texts, preferences: texts }), { minLength: 1, maxLength: 9 })
    .chain((summaries) => {
      const listed = summaries.map((summary, place) => ({ session_id: place + 1, analysis: '', ...summary }));
      return fc.tuple(fc.constant(summaries), fc.shuffledSubarray(listed, { minLength: listed.length }));
    });
  fc.assert(
    fc.property(drawn, ([summaries, listed]) => {
      expect(getValue(checkSummary(renderFencedJson({ summaries: listed }), summaries.length))).toEqual(
        summaries,
      );
    }),
  );
});
