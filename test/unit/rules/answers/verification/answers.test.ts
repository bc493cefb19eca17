import { checkContradiction } from '../../../../../rules/answers/verification/contradiction';
import { checkExpressions } from '../../../../../rules/answers/verification/expressions';
import { checkGuess } from '../../../../../rules/answers/verification/guess';
import { renderFencedJson } from '../../examples';

const CHECKLIST = ['Is it brief?', 'Is it kind?'];

test('expressions are in the order of the checklist, whatever the order and spelling of the answer', () => {
  const results = [
    { index: '2', explanation: ' Says so. ', quotations: ['be kind to her'], rating: '**fully**' },
    { index: 1, rating: 'not-at-all' },
  ];
  expect(checkExpressions(renderFencedJson({ results }), CHECKLIST)).toEqual({
    ok: true,
    value: [
      { rating: 'Not at all', quotations: [], explanation: '' },
      { rating: 'Fully', quotations: ['be kind to her'], explanation: 'Says so.' },
    ],
  });
});

test.each([
  [
    'a result is missing',
    [{ index: 1, rating: 'Fully', quotations: [] }],
    'checklist item 2 ("Is it kind?")',
  ],
  ['a rating is a number', [{ index: 1, rating: 7 }], 'rating must be one of'],
  ['quotations are no list', [{ index: 1, rating: 'Partly', quotations: 'be kind' }], 'a list of texts'],
])('expressions are rejected where %s', (_, results, reason) => {
  expect(checkExpressions(renderFencedJson({ results }), CHECKLIST)).toEqual({
    ok: false,
    reason: expect.stringContaining(reason),
  });
});

test.each([
  [{ expectation: ' The answer must be brief. ' }, 'The answer must be brief.'],
  [{ expectation: null }, ''],
  [{ expectation: 'None.' }, ''],
])('a guess is a text, or nothing: %j', (answer, value) => {
  expect(checkGuess(renderFencedJson(answer))).toEqual({ ok: true, value });
});

test('a guess without the field is rejected: it is not the same as nothing revealed', () => {
  expect(checkGuess(renderFencedJson({ explanation: 'Nothing.' }))).toMatchObject({ ok: false });
});

test('a verdict is one of two words', () => {
  expect(checkContradiction(renderFencedJson({ explanation: 'So.', verdict: 'compatible.' }))).toEqual({
    ok: true,
    value: { verdict: 'Compatible', explanation: 'So.' },
  });
  expect(checkContradiction(renderFencedJson({ verdict: 'Perhaps' }))).toMatchObject({ ok: false });
});
