import * as fc from 'fast-check';
import { checkMatch } from '../../../../../rules/answers/evaluation/match';
import { MATCH_LABELS, type MatchLabel } from '../../../../../schemas/matching/match-label';
import { pickCyclic, renderFencedJson, getReason, getValue } from '../../examples';

const CHECKLIST = [
  'Does each step state how much time it takes?',
  'Are the times given in minutes?',
  'Is there a buffer between any two steps?',
];

const LABELS: MatchLabel[] = ['Fully Covered', 'Not Covered', 'Partially Covered'];

interface Result {
  index?: unknown;
  entry?: unknown;
  reasoning?: string;
  label?: unknown;
}

/** Returns the results of a correct answer with some fields replaced; undefined removes a field. */
function results(changes: Record<number, Result> = {}): Result[] {
  return CHECKLIST.map((entry, place) => ({
    index: place + 1,
    entry,
    label: pickCyclic(LABELS, place),
    ...changes[place],
  }));
}

function without(field: keyof Result): Result[] {
  return results().map((result) => ({ ...result, [field]: undefined }));
}

/** An answer of an evaluator such as GPT-4o: words, reasoning, indent 2. */
const EVALUATOR = `The preference is about timing in general, so I look at each entry in turn.

\`\`\`json
{
  "results": [
    {
      "index": 1,
      "entry": "Does each step state how much time it takes?",
      "reasoning": "The preference asks for \\"a duration on every step\\", which is what the entry checks.",
      "label": "Fully Covered"
    },
    {
      "index": 2,
      "entry": "Are the times given in minutes?",
      "reasoning": "No unit is mentioned – hours would satisfy the preference as well.",
      "label": "Not Covered"
    },
    {
      "index": 3,
      "entry": "Is there a buffer between any two steps?",
      "reasoning": "\\"Room for delays\\" asks for some slack, though not between any two steps.",
      "label": "Partially Covered"
    }
  ]
}
\`\`\``;

/** An answer of PrefMatcher: the list alone, in a fence or bare. */
const PREFMATCHER = `[
  {"index": 1, "entry": "Does each step state how much time it takes?", "label": "Fully Covered"},
  {"index": 2, "entry": "Are the times given in minutes?", "label": "Not Covered"},
  {"index": 3, "entry": "Is there a buffer between any two steps?", "label": "Partially Covered"}
]`;

test.each([
  ['an evaluator', EVALUATOR],
  ['an evaluator without a fence', JSON.stringify({ results: results() })],
  ['PrefMatcher', PREFMATCHER],
  ['PrefMatcher with a fence', `\`\`\`json\n${PREFMATCHER}\n\`\`\``],
])('the answer of %s gives a label for each entry', (_, text) => {
  expect(getValue(checkMatch(text, CHECKLIST))).toEqual(LABELS);
});

test.each<[string, Result[]]>([
  ['indexes as texts', results({ 0: { index: '1' }, 1: { index: ' 2. ' }, 2: { index: '#3' } })],
  [
    'indexes with a word',
    results({ 0: { index: 'entry 1' }, 2: { index: 'Checklist item 3' } }).toReversed(),
  ],
  ['indexes counted from 0', results({ 0: { index: 0 }, 1: { index: 1 }, 2: { index: 2 } })],
  ['indexes in another order', results().toReversed()],
  ['no indexes, in another order', without('index').toReversed()],
  ['an index left out, in another order', results({ 1: { index: null } }).toReversed()],
  ['neither indexes nor entries', results().map(({ label }) => ({ label }))],
  ['right indexes and entries in other words', results({ 0: { entry: 'Times?' }, 2: { entry: 'Buffers?' } })],
  ['entries in other words alone', results().map(({ label }) => ({ entry: 'So?', label }))],
  [
    'entries with numbers, bold type and another case, in another order',
    without('index')
      .map((result, place) => ({
        ...result,
        entry: `${place + 1}. **${String(result.entry).toUpperCase()}** `,
      }))
      .toReversed(),
  ],
])('results are lined up one to one: %s', (_, list) => {
  expect(getValue(checkMatch(renderFencedJson({ results: list }), CHECKLIST))).toEqual(LABELS);
});

test.each([
  ['fully covered', 'Fully Covered'],
  ['FULLY COVERED', 'Fully Covered'],
  ['**Fully Covered**', 'Fully Covered'],
  [' Partially covered. ', 'Partially Covered'],
  ['"Not Covered"', 'Not Covered'],
  ['not_covered', 'Not Covered'],
  ['Partially-Covered', 'Partially Covered'],
])('a label written %j is %s', (written, label) => {
  const [first] = getValue(
    checkMatch(renderFencedJson({ results: results({ 0: { label: written } }) }), CHECKLIST),
  );
  expect(first).toBe(label);
});

test.each([
  'Covered',
  'Fully',
  'Somewhat Covered',
  'Fully Covered / Partially Covered',
  'Fully Covered?',
  'Mostly Fully Covered',
  '',
  '1',
])('the label %j is refused, and its entry named', (label) => {
  expect(getReason(checkMatch(renderFencedJson({ results: results({ 1: { label } }) }), CHECKLIST))).toBe(
    `result 2 ("Are the times given in minutes?"): label "${label}" is not one of "Fully Covered", "Partially Covered", "Not Covered".`,
  );
});

const SECOND = 'checklist entry 2 ("Are the times given in minutes?")';
const THIRD = 'checklist entry 3 ("Is there a buffer between any two steps?")';

test.each<[string, unknown, string | RegExp]>([
  ['a missing entry', { results: results().slice(0, 2) }, `${THIRD} has no result.`],
  [
    'a missing entry, by its words',
    { results: without('index').toSpliced(1, 1) },
    `${SECOND} has no result.`,
  ],
  [
    'a missing entry that nothing names',
    { results: [{ label: 'Not Covered' }, { label: 'Not Covered' }] },
    `${THIRD} has no result.`,
  ],
  ['no entry', { results: [] }, /entry 1 .* has no result; .*entry 2 .*; .*entry 3 /],
  [
    'an extra entry',
    { results: [...results(), { index: 4, entry: 'Is it kind?', label: 'Not Covered' }] },
    'result 4 is numbered 4, but the numbers go from 1 to 3.',
  ],
  [
    'an extra entry that nothing numbers',
    { results: [...without('index'), { label: 'Not Covered' }] },
    'result 4 is numbered 4, but the numbers go from 1 to 3.',
  ],
  [
    'an entry twice',
    { results: [...results(), ...results().slice(1, 2)] },
    `${SECOND} has more than one result.`,
  ],
  [
    'an entry twice, by its words',
    { results: [...without('index'), ...without('index').slice(1, 2)] },
    `${SECOND} has more than one result.`,
  ],
  [
    'two entries under one index',
    { results: results({ 2: { index: 2, entry: 'Buffers?' } }) },
    `${SECOND} has more than one result; ${THIRD} has no result.`,
  ],
  [
    'an incomplete count from 0',
    { results: results({ 0: { index: 0 }, 1: { index: 1 } }) },
    `${SECOND} has no result; result 1 is numbered 0, but the numbers go from 1 to 3; result 2 is numbered 1, but its words are those of ${SECOND}.`,
  ],
  [
    "an index with another entry's words",
    { results: results({ 1: { index: 3 }, 2: { index: 2 } }) },
    `result 2 is numbered 3, but its words are those of ${SECOND}; result 3 is numbered 2, but its words are those of ${THIRD}.`,
  ],
  [
    "a place with another entry's words",
    {
      results: [
        { label: 'Not Covered' },
        { entry: CHECKLIST[0], label: 'Not Covered' },
        { label: 'Not Covered' },
      ],
    },
    `result 2 is numbered 2, but its words are those of checklist entry 1 ("Does each step state how much time it takes?").`,
  ],
  [
    'an index that does not fit the place of the words',
    { results: results({ 0: { index: null }, 1: { index: 3 } }) },
    'result 2 has the index 3, but it stands for checklist entry 2.',
  ],
  [
    'an index that is no number',
    { results: results({ 0: { index: 'first' } }) },
    'result 1 ("Does each step state how much time it takes?"): index must be the checklist entry\'s number.',
  ],
  ['a fraction for an index', { results: results({ 0: { index: 1.5 } }) }, /^result 1 .*: index must be/],
  ['a negative index', { results: results({ 0: { index: -1 } }) }, /^result 1 .*: index must be/],
  ['a negative index as a text', { results: results({ 0: { index: '-1' } }) }, /^result 1 .*: index must be/],
  [
    'a result that is a text',
    { results: ['Fully Covered'] },
    'result 1 must be a mapping with index, entry and label.',
  ],
  [
    'no label',
    { results: without('label') },
    /^result 1 .*: label must be one of "Fully Covered".*; result 2 /,
  ],
  ['a label in a list', { results: results({ 0: { label: LABELS } }) }, /^result 1 .*: label must be one of/],
  ['no list', { result: results() }, 'the answer holds no list under the key "results".'],
  ['lone surrogates', { results: results({ 0: { reasoning: '\ud83d' } }) }, /lone surrogate/],
])('%s: refused with a reason', (_, answer, reason) => {
  const actual = getReason(checkMatch(renderFencedJson(answer), CHECKLIST));
  if (typeof reason === 'string') expect(actual).toBe(reason);
  else expect(actual).toMatch(reason);
});

test.each([
  ['words alone', 'All entries are fully covered.', /contains no JSON/],
  ['an answer that was cut off', EVALUATOR.slice(0, 500), /is not closed/],
])('%s: refused with a reason', (_, text, reason) => {
  expect(getReason(checkMatch(text, CHECKLIST))).toMatch(reason);
});

test('a checklist of one, numbered from 0 or 1, and one that repeats itself are lined up as well', () => {
  for (const index of [0, 1]) {
    expect(getValue(checkMatch(`[{"index":${index},"label":"Not Covered"}]`, ['Is it?']))).toEqual([
      'Not Covered',
    ]);
  }
  const twice = [
    { entry: 'Is it?', label: 'Fully Covered' },
    { entry: 'Is it?', label: 'Not Covered' },
  ];
  expect(getValue(checkMatch(JSON.stringify(twice), ['Is it?', 'is it?']))).toEqual([
    'Fully Covered',
    'Not Covered',
  ]);
});

const checklistAndLabels = fc
  .uniqueArray(fc.stringMatching(/^[A-Za-z]{3,8}( [a-z]{1,8}){0,4}\?$/), {
    selector: (entry) => entry.toLowerCase(),
    minLength: 1,
    maxLength: 6,
  })
  .chain((checklist) =>
    fc.tuple(
      fc.constant(checklist),
      fc.array(fc.constantFrom(...MATCH_LABELS), {
        minLength: checklist.length,
        maxLength: checklist.length,
      }),
    ),
  );

function rendered([checklist, labels]: [string[], MatchLabel[]]): Result[] {
  return checklist.map((entry, place) => ({ index: place + 1, entry, label: labels[place] }));
}

test('what is rendered in either form is read back', () => {
  fc.assert(
    fc.property(checklistAndLabels, (drawn) => {
      const [checklist, labels] = drawn;
      expect(getValue(checkMatch(renderFencedJson({ results: rendered(drawn) }), checklist))).toEqual(labels);
      expect(getValue(checkMatch(JSON.stringify(rendered(drawn)), checklist))).toEqual(labels);
    }),
  );
});

test('the order of results that have indexes, or the words of their entries, makes no difference', () => {
  const shuffled = checklistAndLabels.chain((drawn) =>
    fc.tuple(
      fc.constant(drawn),
      fc.shuffledSubarray(rendered(drawn), { minLength: drawn[0].length }),
      fc.constantFrom('index', 'entry', 'reasoning'),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([[checklist, labels], list, left]) => {
      const given = list.map((result) => ({ ...result, [left]: undefined }));
      expect(getValue(checkMatch(renderFencedJson({ results: given }), checklist))).toEqual(labels);
    }),
  );
});

test('one result too few or one too many is never accepted', () => {
  fc.assert(
    fc.property(checklistAndLabels, fc.nat(), (drawn, at) => {
      const [checklist] = drawn;
      const list = rendered(drawn);
      const place = at % list.length;
      expect(checkMatch(JSON.stringify(list.toSpliced(place, 1)), checklist).ok).toBe(false);
      expect(checkMatch(JSON.stringify([...list, list[place]]), checklist).ok).toBe(false);
    }),
  );
});
