import { checkContradictions } from '../../../../../rules/answers/verification/contradiction';
import { checkExpressions } from '../../../../../rules/answers/verification/expressions';
import { checkGuess } from '../../../../../rules/answers/verification/guess';
import { getValue, renderFencedJson } from '../../examples';

const CHECKLISTS = [['Is it brief?'], ['Is it kind?', 'Is it clear?']];

test('expressions are in the order of the checklists, whatever the order and spelling of the answer', () => {
  const results = [
    { index: '2', explanation: ' Says so. ', quotations: ['be kind to her'], rating: '**fully**' },
    { index: 1, rating: 'not-at-all' },
    { index: 'item 3', rating: 'Partly' },
  ];
  expect(checkExpressions(renderFencedJson({ results }), CHECKLISTS)).toEqual({
    ok: true,
    value: [
      [{ rating: 'Not at all', quotations: [], explanation: '' }],
      [
        { rating: 'Fully', quotations: ['be kind to her'], explanation: 'Says so.' },
        { rating: 'Partly', quotations: [], explanation: '' },
      ],
    ],
  });
});

test('results without numbers are taken in the order of the answer', () => {
  const expressions = [{ rating: 'Fully' }, { rating: 'Partly' }, { rating: 'Not at all' }];
  expect(getValue(checkExpressions(renderFencedJson({ results: expressions }), CHECKLISTS))).toMatchObject([
    [{ rating: 'Fully' }],
    [{ rating: 'Partly' }, { rating: 'Not at all' }],
  ]);
  const contradictions = [{ verdict: 'Contradictory' }, { verdict: 'Compatible' }];
  expect(getValue(checkContradictions(renderFencedJson({ results: contradictions }), 2))).toMatchObject(
    contradictions,
  );
});

test.each([
  [
    'a result is missing',
    [{ index: 1, rating: 'Fully', quotations: [] }],
    'checklist item 2 ("Is it kind?")',
  ],
  [
    'an index is unreadable',
    [
      { index: 'third', rating: 'Fully' },
      { index: 1, rating: 'Partly' },
      { index: 2, rating: 'Fully' },
    ],
    'result 1: index must be a whole number, or absent in every result',
  ],
  [
    'an index is absent and others are not',
    [{ index: 3, rating: 'Fully' }, { rating: 'Partly' }, { index: 1, rating: 'Fully' }],
    'result 2: index must be a whole number',
  ],
  ['a rating is a number', [{ index: 1, rating: 7 }], 'result 1: rating must be one of'],
  [
    'quotations are no list',
    [{ index: 1, rating: 'Partly', quotations: 'be kind' }],
    'result 1: quotations must be a list of texts',
  ],
])('expressions are rejected where %s', (_, results, reason) => {
  expect(checkExpressions(renderFencedJson({ results }), CHECKLISTS)).toEqual({
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

test('verdicts are one of two words each, in the order of the pairs', () => {
  const results = [
    { index: 'pair 2', verdict: 'contradictory' },
    { index: 'Pair #1', explanation: ' So. ', verdict: 'compatible.' },
  ];
  expect(checkContradictions(renderFencedJson({ results }), 2)).toEqual({
    ok: true,
    value: [
      { verdict: 'Compatible', explanation: 'So.' },
      { verdict: 'Contradictory', explanation: '' },
    ],
  });
});

test.each([
  [[{ index: 1, verdict: 'Perhaps' }], 'result 1: "verdict" must be one of'],
  [[{ index: 1, verdict: 'Compatible' }], 'pair 2'],
  [
    [
      { index: '2/2', verdict: 'Compatible' },
      { index: '1/2', verdict: 'Contradictory' },
    ],
    'result 1: index must be a whole number',
  ],
])('verdicts are rejected with what is wrong: %j', (results, reason) => {
  expect(checkContradictions(renderFencedJson({ results }), 2)).toEqual({
    ok: false,
    reason: expect.stringContaining(reason),
  });
});
