import {
  computeInterval,
  computeUniformInterval,
  resampleSums,
  sumByPersona,
} from '../../../../rules/scores/bootstrap';
import type { CountedSums } from '../../../../rules/scores/counted-instances';
import { summarize } from '../../../../rules/scores/summary';
import { NO_SUMS, type GenerationSums } from '../../../../rules/scores/sums';
import { createRandom } from '../../../../rules/sampling/random';
import { computeShare } from '../../../../rules/statistics/share';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildGenerationRow, buildJudgedRow, buildMatchedRow } from './rows';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const resampling = { seed: 42, resamples: 2000 };
const mean = ({ score, n_instances }: GenerationSums) => score / n_instances;

function counted(persona: number, score: number): CountedSums<GenerationSums> {
  return { persona_id: `${persona}`, instance_type: 'consistent', sums: { n_instances: 1, score } };
}

function resample(instances: readonly CountedSums<GenerationSums>[], options = resampling): GenerationSums[] {
  return resampleSums(sumByPersona(instances, NO_SUMS.generation), NO_SUMS.generation, options);
}

function widthOf(instances: readonly CountedSums<GenerationSums>[]): number {
  const interval = computeInterval(resample(instances), mean);
  return interval === null ? Number.NaN : interval.high - interval.low;
}

const inferenceTable: ScoreRow[] = range(12).map((number) =>
  buildMatchedRow(
    ['FP', 'F', 'NNP', 'FFN', 'P', ''][number % 6] ?? '',
    ['FPN', 'PP', 'FN', 'FFF'][number % 4] ?? '',
    { persona_id: `${number % 5}+baker`, instance_type: INSTANCE_TYPES[number % 3] ?? 'consistent' },
  ),
);
const generationTable: ScoreRow[] = range(12).map((number) =>
  buildJudgedRow(1 + ((number * 7) % 10), {
    persona_id: `${number % 5}+baker`,
    instance_type: INSTANCE_TYPES[number % 3] ?? 'consistent',
  }),
);

test('these rows and this seed give exactly these intervals', () => {
  expect({
    ...summarize(inferenceTable, resampling).cells[0]?.all.inference?.intervals,
    ...summarize(generationTable, resampling).cells[0]?.all.generation?.intervals,
  }).toEqual({
    precision: { low: 0.4318181818181818, high: 0.71875 },
    recall: { low: 0.546875, high: 0.75 },
    f1: { low: 0.5398765847843792, high: 0.6849030470914128 },
    macro_f1: { low: 0.41309523809523807, high: 0.5692857142857143 },
    average_score: { low: 3.6923076923076925, high: 6.818181818181818 },
  });
});

test('another seed draws other resamples, around the same place', () => {
  const [one, other] = [1, 2].map(
    (seed) =>
      summarize(generationTable, { seed, resamples: 200 }).cells[0]?.all.generation?.intervals.average_score,
  );
  expect(other).not.toEqual(one);
  expect(other?.low).toBeCloseTo(one?.low ?? 0, 0);
});

test('one persona has no interval, for it says nothing of how personas differ; two have one', () => {
  const instances = [counted(1, 3), counted(1, 9)];
  expect(resample(instances)).toEqual([]);
  expect(computeInterval([], mean)).toBeNull();
  // A resample of two personas with 3 and 9 has 3, 6 or 9: more than 2.5 % are the lowest, and the highest.
  const two = resample([counted(1, 3), counted(2, 9)]);
  expect(computeInterval(two, mean)).toEqual({ low: 3, high: 9 });
});

test('percentiles lie between neighboring values as numpy and R have them', () => {
  const sums = range(11).map((score) => ({ n_instances: 1, score: 10 * (10 - score) }));
  // Positions 0.025 · 10 and 0.975 · 10 of 0, 10, …, 100.
  expect(computeInterval(sums, mean)).toEqual({ low: 2.5, high: 97.5 });
});

test('instances of a persona are drawn together: three that agree are worth one', () => {
  const random = createRandom('scores of personas');
  const scores = range(60).map(() => 1 + random.integer(10));
  const once = scores.map((score, persona) => counted(persona, score));
  const thrice = scores.flatMap((score, persona) => range(3).map(() => counted(persona, score)));
  const apart = scores.flatMap((score, persona) =>
    range(3).map((type) => counted(3 * persona + type, score)),
  );
  expect(widthOf(thrice)).toBeCloseTo(widthOf(once), 12);
  // If each instance were a persona, the interval would be narrower by the root of three.
  expect(widthOf(apart) * Math.sqrt(3)).toBeGreaterThan(0.85 * widthOf(once));
  expect(widthOf(apart) * Math.sqrt(3)).toBeLessThan(1.15 * widthOf(once));
});

test('intervals hold the true mean about 95 times in a hundred, where personas differ', () => {
  const holds = range(250).filter((world) => {
    const random = createRandom('world', world);
    // A persona's part and an instance's part, each 0 to 9 and equally likely: the true mean is 9.
    const instances = range(30).flatMap((persona) => {
      const ofPersona = random.integer(10);
      return range(3).map(() => counted(persona, ofPersona + random.integer(10)));
    });
    const resampled = resample(instances, { seed: world, resamples: 250 });
    const interval = computeInterval(resampled, mean);
    return interval !== null && interval.low <= 9 && 9 <= interval.high;
  });
  expect(holds.length / 250).toBeGreaterThan(0.91);
  expect(holds.length / 250).toBeLessThan(0.98);
});

test('a value that all personas have is as certain as none among them: Wilson’s interval at either end of the range', () => {
  // With z = 1.96, none among 8 leaves 3.8416 / 11.8416.
  const deviating = 3.8416 / 11.8416;
  expect(computeUniformInterval(1, [0, 1], 8)).toEqual({ low: expect.closeTo(1 - deviating, 12), high: 1 });
  expect(computeUniformInterval(0, [0, 1], 8)).toEqual({ low: 0, high: expect.closeTo(deviating, 12) });
  // Each who deviates could have a score of 1 or of 10.
  const { low, high } = computeUniformInterval(4, [1, 10], 8);
  expect([low, high]).toEqual([expect.closeTo(4 - 3 * deviating, 12), expect.closeTo(4 + 6 * deviating, 12)]);
});

const personaIds = range(8).map((persona) => ({ persona_id: `${persona}+baker` }));
const intervalsOf = (rows: readonly ScoreRow[]) => summarize(rows, { seed: 1, resamples: 200 }).cells[0]?.all;

test('results that are all right, all wrong or all equal have the interval that validate has for as many personas', () => {
  const shareOf = (count: number) =>
    computeShare(personaIds, ({ persona_id: persona }) => Number.parseInt(persona, 10) < count)?.interval;
  const right = intervalsOf(personaIds.map((persona) => buildMatchedRow('FF', 'F', persona)))?.inference;
  expect(right?.intervals).toEqual({
    precision: shareOf(8),
    recall: shareOf(8),
    f1: shareOf(8),
    macro_f1: shareOf(8),
  });
  const wrong = intervalsOf(personaIds.map((persona) => buildMatchedRow('N', 'NN', persona)))?.inference;
  expect(wrong?.intervals.f1).toEqual(shareOf(0));
  const best = intervalsOf(personaIds.map((persona) => buildJudgedRow(10, persona)))?.generation;
  expect(best?.intervals.average_score).toEqual({
    low: expect.closeTo(10 - 9 * (shareOf(0)?.high ?? 0), 12),
    high: 10,
  });
  // Histories that are too long count as 0, below the lowest score of a judge.
  const tooLong = personaIds.map((persona) =>
    buildGenerationRow({ state: 'context-length', score: 0, ...persona }),
  );
  expect(intervalsOf(tooLong)?.generation?.intervals.average_score).toEqual({
    low: 0,
    high: expect.closeTo(10 * (shareOf(0)?.high ?? 0), 12),
  });
});

test('a precision rests on the personas for which something was inferred', () => {
  const rows = personaIds.map((persona, at) => buildMatchedRow(at < 4 ? 'F' : '', 'F', persona));
  const all = intervalsOf(rows);
  expect(all?.n_personas).toBe(8);
  // All of 4: 1 − 3.8416 / 7.8416.
  expect(all?.inference?.intervals.precision).toEqual({ low: expect.closeTo(4 / 7.8416, 12), high: 1 });
});
