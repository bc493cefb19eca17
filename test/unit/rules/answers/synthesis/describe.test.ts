import { checkDescriptions } from '../../../../../rules/answers/synthesis/describe';
import { renderFencedJson, getReason, getValue } from '../../examples';

const PERSONAS = [
  { description: ' Ana bakes. ', occupation: 'Baker' },
  { description: 'Bo flies.', occupation: ' Pilot ' },
];
const STRIPPED = [
  { description: 'Ana bakes.', occupation: 'Baker' },
  { description: 'Bo flies.', occupation: 'Pilot' },
];

const check = (text: string, count: number) => checkDescriptions(text, { count, quality: 'reference' });

test.each([
  renderFencedJson({ personas: PERSONAS }),
  renderFencedJson(PERSONAS),
  JSON.stringify({ personas: PERSONAS, note: 'more' }),
])('descriptions are read in order, stripped, out of the named list or a bare one: %j', (text) => {
  expect(getValue(check(text, 2))).toEqual(STRIPPED);
});

test.each([
  [{ personas: PERSONAS }, 3, 'there must be exactly 3 personas, but there are 2.'],
  [{ personas: PERSONAS }, 1, 'there must be exactly 1 personas, but there are 2.'],
  [{ people: PERSONAS }, 2, 'the answer holds no list under the key "personas".'],
  [{ personas: [{ occupation: 'Baker' }] }, 1, 'persona 1: description is missing.'],
  [{ personas: [{ description: ' ', occupation: 'Baker' }] }, 1, 'persona 1: description is empty.'],
  [{ personas: [{ description: 'x', occupation: null }] }, 1, 'persona 1: occupation is missing.'],
  [
    { personas: [{ description: ['x'], occupation: 'y' }] },
    1,
    'persona 1: description must be one text, not a list.',
  ],
  [{ personas: ['Ana'] }, 1, 'persona 1: it must be a mapping with named fields, not a text.'],
  ['Ana', 1, 'the answer holds no list under the key "personas".'],
])('%j for a batch of %i is refused: %s', (answer, count, reason) => {
  expect(getReason(check(renderFencedJson(answer), count))).toBe(reason);
});
