import { checkFactors } from '../../../../../rules/answers/synthesis/factors';
import { contextFactorSchema, type ContextFactor } from '../../../../../schemas/dataset/factor';
import { buildExampleFactors, renderFencedYaml, getReason, getValue } from '../../examples';

/** Writes the answer with some fields of its factors replaced, by their number from 1. */
function answer(count: number, changes: Record<number, Record<string, unknown>> = {}): string {
  const factors = buildExampleFactors(count).map((factor, index) => ({ ...factor, ...changes[index + 1] }));
  return renderFencedYaml({ context_factors: factors });
}

const check = (text: string, nFactors: number) => checkFactors(text, { nFactors, quality: 'reference' });

test.each([3, 4, 8, 12])('%i factors in form are taken as they are', (count) => {
  const factors = getValue(check(answer(count), count));
  expect(factors).toEqual(buildExampleFactors(count));
  for (const factor of factors) expect(contextFactorSchema.parse(factor)).toEqual(factor);
});

test('a bare list is taken, and texts stay texts whatever they look like', () => {
  const factors: ContextFactor[] = buildExampleFactors(3).map((factor, index) => ({
    ...factor,
    background: ['yes', '12:30', '2024-01-01'][index] ?? '',
  }));
  const text = renderFencedYaml(factors).replace('"12:30"', '12:30');
  expect(getValue(check(text, 3))).toEqual(factors);
});

test('no related factor may be said in many ways, and the pair is given back spelled like its names', () => {
  const text = answer(5, {
    1: { related_factor: '' },
    2: { related_factor: undefined },
    3: { related_factor: 'None.' },
    4: { related_factor: ' workshop 5. ' },
    5: { related_factor: 'Workshop 4.' },
  });
  expect(getValue(check(text, 5))).toEqual(buildExampleFactors(5));
});

test.each<[Record<number, Record<string, unknown>>, RegExp]>([
  [
    { 1: { factor_type: 'Person' } },
    /^factor 1: factor_type "Person" is not one of Person\/Group, Organization/,
  ],
  [{ 2: { factor_type: 'person/group' } }, /^factor 2: factor_type "person\/group" is not one of/],
  [{ 3: { preference_type: 'Style' } }, /^factor 3: preference_type "Style" is not one of Formality, /],
  [{ 3: { task_types: ['Learning', 'Cooking'] } }, /^factor 3: task_types, entry 2 "Cooking" is not one of/],
  [{ 3: { task_types: [] } }, /^factor 3: task_types must have at least 1 entry/],
  [{ 3: { task_types: 'Learning' } }, /^factor 3: task_types must be a list, not "Learning"/],
  [{ 4: { background: '' } }, /^factor 4: background is empty/],
  [{ 4: { preference: undefined } }, /^factor 4: preference is missing/],
  [{ 4: { preference: { a: 'b' } } }, /^factor 4: preference must be one text, not a mapping/],
  [{ 3: { factor: 'workshop 1.' } }, /^factor 3: "workshop 1\." is already the name of factor 1/],
  [{ 2: { related_factor: 'Workshop 1' } }, /^factor 2: related_factor must be N\/A, not "Workshop 1"/],
  [
    { 7: { related_factor: 'N/A' } },
    /^factor 7: related_factor must be the full name .* "Workshop 8", not "N\/A"\.$/,
  ],
  [
    { 8: { related_factor: 'Workshop' } },
    /^factor 8: related_factor must be the full name .* "Workshop 7", not "Workshop"\.$/,
  ],
  [{ 7: { preference: 'Same.' }, 8: { preference: 'same' } }, /must contradict each other/],
])('%j is refused with the place and the remedy', (changes, reason) => {
  expect(getReason(check(answer(8, changes), 8))).toMatch(reason);
});

test('spaces around a vocabulary entry do not count', () => {
  const text = answer(3, { 1: { factor_type: ' Person/Group ', task_types: [' Learning '] } });
  expect(getValue(check(text, 3))[0]).toMatchObject({
    factor_type: 'Person/Group',
    task_types: ['Learning'],
  });
});

test('a pair that does not come last is refused', () => {
  const text = renderFencedYaml({ context_factors: buildExampleFactors(5).toReversed() });
  expect(getReason(check(text, 5))).toMatch(/factor 1: related_factor must be N\/A.*only the last two/);
});

test.each([7, 9])('eight factors where %i were asked for are refused', (count) => {
  expect(getReason(check(answer(8), count))).toBe(
    `there must be exactly ${count} context factors, but there are 8.`,
  );
});

test('many problems are listed five at a time', () => {
  const changes = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((place) => [place, { factor_type: 'X' }]));
  const reason = getReason(check(answer(8, changes), 8));
  expect(reason).toMatch(/^factor 1: .*factor 5: .*; and 2 more problems/);
  expect(reason).not.toContain('factor 6');
});

test('with a taxonomy of the run’s own, its types are taken in any case, and the paper’s are not', () => {
  const taxonomy = {
    factor_types: ['Person', 'Workplace 1', 'Workplace 2'],
    task_types: ['Drafting', 'Checking'],
    preference_types: ['Voice', 'Depth'],
  };
  const own = { factor_type: 'workplace 2', task_types: ['drafting'], preference_type: '2. Voice' };
  const checkOwn = (changes: Record<number, Record<string, unknown>>) =>
    checkFactors(answer(3, changes), { nFactors: 3, quality: 'strict', taxonomy });
  const factors = getValue(checkOwn({ 1: own, 2: own, 3: own }));
  expect(factors.map(({ factor_type: type }) => type)).toEqual(Array(3).fill('Workplace 2'));
  expect(factors[0]).toMatchObject({ task_types: ['Drafting'], preference_type: 'Voice' });
  expect(getReason(checkOwn({ 2: own, 3: own }))).toMatch(
    /^factor 1: factor_type "Person\/Group" is not one of Person, Workplace 1, Workplace 2/,
  );
});
