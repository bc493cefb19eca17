import { findCohorts } from '../../../../rules/sampling/cohorts';
import { sampleForVerification } from '../../../../rules/verification/sample';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import { evaluationSettingsSchema, type SplitRow } from '../../../../schemas/evaluation/evaluation-run';

const INPUTS = { settings: evaluationSettingsSchema.parse({}) };
const INDEX = ['1+baker', '2+nurse', '3+judge', '4+pilot'].flatMap((persona_id, persona) =>
  INSTANCE_TYPES.map((instance_type, at): SplitRow => ({
    persona_id,
    instance_type,
    number: persona * INSTANCE_TYPES.length + at + 1,
    split: 'test',
  })),
);

function draw(
  sample: number | null,
  earlier: Parameters<typeof sampleForVerification>[4] = [],
  index: readonly SplitRow[] = INDEX,
) {
  return sampleForVerification(index, INPUTS, findCohorts([index]), { sample }, earlier);
}

test('a smaller sample is followed by what only the earlier one has, in the order of the data', () => {
  const all = draw(null);
  expect(all.map(({ round }) => round)).toEqual([1, 1, 1, 1, 2]);
  const smaller = draw(2, all);
  expect(smaller.map(({ rows, round }) => ({ rows, round }))).toEqual(
    all.map(({ rows, round }) => ({ rows, round })),
  );
  expect(smaller.filter(({ isDrawn }) => isDrawn)).toEqual(draw(2));
});

test('a larger sample draws all that the smaller one has', () => {
  expect(draw(3, draw(1)).every(({ isDrawn }) => isDrawn)).toBe(true);
});

test('an earlier persona whose rows have changed since is left out unless it is drawn', () => {
  const all = draw(null);
  const drawnRows = draw(1).flatMap(({ rows }) => rows);
  const changed = INDEX.map((row) =>
    drawnRows.includes(row.number) ? row : { ...row, number: row.number + 100 },
  );
  expect(draw(1, all, changed)).toEqual(draw(1, [], changed));
});
