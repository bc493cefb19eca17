import { drawByCohort, drawPersonas, findCohorts } from '../../../../rules/sampling/cohorts';
import { createRandom } from '../../../../rules/sampling/random';

const build = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ persona_id: `${from + at}` }));
const FIRST = build(1, 9);
const GROWN = [...build(9, 12), ...FIRST];

test('personas that were added come after the others, whose order is that of the first state alone', () => {
  const before = drawPersonas(findCohorts([FIRST]), 42, 'stress');
  expect(before).toEqual(createRandom(42, 'stress').shuffle(FIRST.map(({ persona_id: id }) => id)));
  const after = drawPersonas(findCohorts([FIRST, GROWN]), 42, 'stress');
  expect(after.slice(0, 8)).toEqual(before);
  expect(after.slice(8).toSorted()).toEqual(['10', '11', '9']);
});

test('a persona that leaves the data moves no other', () => {
  const cohorts = findCohorts([FIRST, GROWN]);
  expect(findCohorts([FIRST, GROWN, GROWN.slice(5)])).toEqual(cohorts);
});

test('a sample keeps what was drawn before the data grew, and takes what was added only after that', () => {
  const cohorts = findCohorts([FIRST, GROWN]);
  const before = drawByCohort(FIRST, findCohorts([FIRST]), 5, 42, 'low F1');
  expect(drawByCohort(GROWN, cohorts, 5, 42, 'low F1')).toEqual(before);
  const larger = drawByCohort(GROWN, cohorts, 10, 42, 'low F1');
  expect(larger).toHaveLength(10);
  expect(larger).toEqual(expect.arrayContaining(drawByCohort(GROWN, cohorts, 9, 42, 'low F1')));
  expect(drawByCohort(GROWN, cohorts, 99, 42, 'low F1')).toHaveLength(GROWN.length);
});

test('an item of a persona that no state has is drawn with those of the first one', () => {
  const [unknown, ...others] = FIRST;
  const known = findCohorts([others, GROWN.filter((row) => row !== unknown)]);
  expect(drawByCohort(GROWN, known, 99, 42)).toEqual(
    drawByCohort(GROWN, findCohorts([FIRST, GROWN]), 99, 42),
  );
});
