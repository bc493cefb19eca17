import { drawReviewSample, type TypedPersona } from '../../../../rules/review/sample';

/** A quarter of 80 personas lack an instance, and of each of these and of the others, one in five has a rare factor. */
const PERSONAS = Array.from({ length: 80 }, (_, at): TypedPersona => {
  const types = at % 4 === 0 ? ['consistent'] : ['consistent', 'changing'];
  return { persona_id: `${at}`, types: [...types, at % 5 === 0 ? 'rare' : 'usual'] };
});

const name = (drawn: readonly TypedPersona[]) => drawn.map(({ persona_id }) => persona_id);

test.each([1, 42, 7])('with seed %s, each type is as frequent in a sample as in the data', (seed) => {
  for (const size of [20, 40]) {
    const drawn = drawReviewSample(PERSONAS, size, seed);
    const count = (type: string) => drawn.filter(({ types }) => types.includes(type)).length;
    expect([count('consistent'), count('changing'), count('rare')]).toEqual([size, size * 0.75, size * 0.2]);
    expect(new Set(name(drawn)).size).toBe(size);
  }
});

test('the seed decides, and a larger sample contains a smaller one', () => {
  const drawn = name(drawReviewSample(PERSONAS, 20, 42));
  expect(name(drawReviewSample(PERSONAS, 20, 42))).toEqual(drawn);
  expect(name(drawReviewSample(PERSONAS, 50, 42)).slice(0, 20)).toEqual(drawn);
  expect(name(drawReviewSample(PERSONAS, 20, 43))).not.toEqual(drawn);
});

test('of fewer personas, all are drawn', () => {
  expect(name(drawReviewSample(PERSONAS, 100, 42)).toSorted()).toEqual(name(PERSONAS).toSorted());
});
