import { groupByCell } from '../../../../rules/scores/cells';
import { computeModelDifferences } from '../../../../rules/scores/differences';
import { summarize } from '../../../../rules/scores/summary';
import { createRandom } from '../../../../rules/sampling/random';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import {
  buildGenerationRow,
  buildInferenceRow,
  buildJudgedRow,
  buildMatchedRow,
  buildMissingRow,
  buildTooLongRow,
} from './rows';

const resampling = { seed: 42, resamples: 500 };
const differencesOf = (rows: readonly ScoreRow[]) => computeModelDifferences(groupByCell(rows), resampling);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const one = (number: number) => ({ model: 'a:one', persona_id: `${number}+baker` });
const two = (number: number) => ({ model: 'b:two', persona_id: `${number}+baker` });
const width = (interval: { low: number; high: number } | null | undefined) =>
  interval ? interval.high - interval.low : Number.NaN;

test('models are compared over the instances that count for both', () => {
  const [difference, ...rest] = differencesOf([
    // Shared: persona 1, P 0.75, R 0.5, F1 0.6 against all 1; persona 2, all 1 against too long.
    buildMatchedRow('FP', 'FPN', one(1)),
    buildMatchedRow('F', 'FFF', two(1)),
    buildMatchedRow('FF', 'FF', one(2)),
    buildTooLongRow(2, two(2)),
    // Not shared.
    buildMatchedRow('NN', 'N', one(3)),
    buildMissingRow('infer', two(3)),
    buildInferenceRow(one(4)),
    buildMatchedRow('F', 'F', two(4)),
  ]);
  expect(rest).toEqual([]);
  expect(difference).toMatchObject({
    task: 'inference',
    context: 'full',
    evaluator: 'openai:evaluator',
    model: 'a:one',
    other: 'b:two',
    n_instances: 2,
    average_score: null,
  });
  // One: P 3.5 / 4, R 3.5 / 5, F1 2 · 0.875 · 0.7 / 1.575 = 7 / 9. Two: P 1 / 1, R 3 / 5, F1 3 / 4. 28/36 − 27/36.
  expect(difference?.f1?.difference).toBeCloseTo(1 / 36, 14);
  // (0.6 + 1) / 2 − (1 + 0) / 2
  expect(difference?.macro_f1?.difference).toBeCloseTo(0.3, 14);
});

test('scores differ by points, the earlier name minus the later', () => {
  const rows = [
    buildJudgedRow(9, { model: 'b:two' }),
    buildJudgedRow(4, { model: 'a:one' }),
    buildJudgedRow(8, { model: 'b:two', persona_id: '2+pilot' }),
    buildGenerationRow({ model: 'a:one', persona_id: '2+pilot', state: 'context-length', score: 0 }),
  ];
  // (4 + 0) / 2 − (9 + 8) / 2; a resample has −5, −6.5 or −8.
  expect(differencesOf(rows)).toMatchObject([
    {
      model: 'a:one',
      other: 'b:two',
      n_instances: 2,
      f1: null,
      macro_f1: null,
      average_score: { difference: -6.5, interval: { low: -8, high: -5 } },
    },
  ]);
});

test('only cells of one task, context, evaluator and decomposer are compared, every two models once', () => {
  const rows = ['a', 'b', 'c'].flatMap((model) => [
    buildMatchedRow('F', 'F', { model }),
    buildMatchedRow('F', 'F', { model, context: 'oracle' }),
    buildMatchedRow('F', 'F', { model, evaluator_form: 'prefmatcher' }),
    buildMatchedRow('F', 'F', { model: `${model}-only`, decomposer: model }),
    buildJudgedRow(5, { model }),
  ]);
  const pairs = differencesOf(rows).map(
    ({ task, context, evaluator_form, model, other }) =>
      `${task} ${context} ${evaluator_form} ${model} ${other}`,
  );
  const settings = [
    'inference full evaluator',
    'inference full prefmatcher',
    'inference oracle evaluator',
    'generation full judge',
  ];
  const expected = settings.flatMap((setting) =>
    ['a b', 'a c', 'b c'].map((models) => `${setting} ${models}`),
  );
  expect(pairs.toSorted()).toEqual(expected.toSorted());
});

test('models that share no instance have no difference', () => {
  expect(
    differencesOf([buildJudgedRow(9, { model: 'a' }), buildGenerationRow({ model: 'b' })]),
  ).toMatchObject([{ n_instances: 0, average_score: null }]);
});

test('what makes instances hard for both models cancels out: the interval is narrower than the models’ own', () => {
  const random = createRandom('hard and easy personas');
  const rows = range(60).flatMap((persona) => {
    const persona_id = `${persona}+baker`;
    const truth = range(6)
      .map(() => (random.integer(60) < persona ? 'F' : 'N'))
      .join('');
    // The other covers the same entries and one more.
    return [
      buildMatchedRow(truth, truth, { model: 'a', persona_id }),
      buildMatchedRow(`${truth}F`, `${truth}F`, { model: 'b', persona_id }),
    ];
  });
  const [difference] = differencesOf(rows);
  const own = summarize(rows, resampling).cells.find(({ model }) => model === 'a')?.all.inference?.intervals
    .f1;
  const ofPair = difference?.f1?.interval;
  expect(width(ofPair)).toBeLessThan(width(own) / 3);
  expect(ofPair?.high).toBeLessThan(0);
});

test('a difference that all personas have is not certain: none of them deviates, others may', () => {
  const rows = range(8).flatMap((persona) => [
    buildMatchedRow('F', 'F', one(persona)),
    buildMatchedRow('N', 'N', two(persona)),
  ]);
  const [difference] = differencesOf(rows);
  // None of 8 leaves 3.8416 / 11.8416, and each of these could have −1 instead of 1.
  expect(difference).toMatchObject({
    n_instances: 8,
    n_personas: 8,
    n_pairs: null,
    f1: { difference: 1, interval: { low: expect.closeTo(1 - (2 * 3.8416) / 11.8416, 12), high: 1 } },
  });
  const [same] = differencesOf(
    range(8).flatMap((persona) => [buildJudgedRow(10, one(persona)), buildJudgedRow(10, two(persona))]),
  );
  const most = (9 * 3.8416) / 11.8416;
  expect(same?.average_score).toEqual({
    difference: 0,
    interval: { low: expect.closeTo(-most, 12), high: expect.closeTo(most, 12) },
  });
});
