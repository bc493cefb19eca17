import { computeJudgeReliability, sampleForRepeats } from '../../../../rules/analyses/judge-reliability';
import { computeKrippendorffAlpha } from '../../../../rules/analyses/agreement';
import { buildGeneration, buildInference, markMissing, open, markTooLong } from './rows';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const RESPONSES = range(40).map((n) => buildGeneration(5, { persona_id: `${n}+baker` }));

test('the sample is the same for the same seed, whatever the order of the rows, and another for another seed', () => {
  const sample = sampleForRepeats(RESPONSES, 10, 42);
  expect(new Set(sample.map(({ persona_id }) => persona_id)).size).toBe(10);
  expect(sampleForRepeats(RESPONSES.toReversed(), 10, 42)).toEqual(sample);
  expect(sampleForRepeats(RESPONSES, 10, 43)).not.toEqual(sample);
});

test('a larger sample holds the smaller one, so that more of it costs only what is new', () => {
  const larger = sampleForRepeats(RESPONSES, 20, 42);
  expect(larger).toEqual(expect.arrayContaining(sampleForRepeats(RESPONSES, 10, 42)));
});

test('each judge has its sample, of the responses that it scored', () => {
  const rows = [
    ...RESPONSES,
    ...RESPONSES.slice(0, 3).map((row) => ({ ...row, evaluator: 'simulated:other' })),
    markMissing(buildGeneration(5, { evaluator: 'simulated:other' })),
    open(buildGeneration(5, { evaluator: 'simulated:other', persona_id: '98+cook' })),
    markTooLong(buildGeneration(5, { evaluator: 'simulated:other', persona_id: '99+cook' })),
    buildInference({ evaluator: 'simulated:other' }),
  ];
  const sample = sampleForRepeats(rows, 7, 1);
  expect(sample.filter(({ evaluator }) => evaluator === 'simulated:judge')).toHaveLength(7);
  const other = sample.filter(({ evaluator }) => evaluator === 'simulated:other');
  expect(other.map(({ persona_id }) => persona_id)).toEqual(['0+baker', '1+baker', '2+baker']);
  expect(sampleForRepeats([], 7, 1)).toEqual([]);
});

test('spread, agreement and length are those of the repeated scores', () => {
  const evaluator = 'simulated:judge';
  const [judge, ...others] = computeJudgeReliability([
    { evaluator, scores: [8, 8, 8], response_tokens: 300 },
    { evaluator, scores: [4, 6, null], response_tokens: 100 },
    { evaluator, scores: [1, 2, 3], response_tokens: 200 },
    { evaluator, scores: [7, 7, 7], response_tokens: null },
    { evaluator, scores: [9, null, null], response_tokens: 900 },
  ]);
  expect(others).toEqual([]);
  expect(judge).toMatchObject({ evaluator, n_responses: 4, n_missing: 3, largest_range: 2 });
  // Deviations 0, √2, 1, 0; ranges 0, 2, 2, 0.
  expect(judge?.mean_deviation).toBeCloseTo((Math.SQRT2 + 1) / 4, 12);
  expect(judge?.mean_range).toBe(1);
  const units = [
    [8, 8, 8],
    [4, 6],
    [1, 2, 3],
    [7, 7, 7],
  ];
  expect(judge?.alpha).toEqual({
    ordinal: computeKrippendorffAlpha(units, 'ordinal'),
    interval: computeKrippendorffAlpha(units, 'interval'),
  });
  expect(judge?.alpha.interval).toBeGreaterThan(0.8);
  // Tokens 300, 100, 200 with means 8, 5, 2: deviations 100, -100, 0 and 3, 0, -3, so 300 / √(20,000 · 18).
  expect(judge?.score_and_length.n).toBe(3);
  expect(judge?.score_and_length.r).toBeCloseTo(0.5, 12);
});

test('judges are distinguished, by name', () => {
  const repeats = ['simulated:z', 'simulated:b', 'simulated:z'].map((evaluator) => ({
    evaluator,
    scores: [1, 2],
    response_tokens: 1,
  }));
  const judges = computeJudgeReliability(repeats);
  expect(judges.map(({ evaluator, n_responses }) => [evaluator, n_responses])).toEqual([
    ['simulated:b', 1],
    ['simulated:z', 2],
  ]);
});

test('a judge that never wavers has no spread; one that gives one score only has no alpha', () => {
  const evaluator = 'simulated:judge';
  const [steady] = computeJudgeReliability([
    { evaluator, scores: [8, 8], response_tokens: 1 },
    { evaluator, scores: [3, 3], response_tokens: 2 },
  ]);
  expect(steady).toMatchObject({ mean_deviation: 0, mean_range: 0, alpha: { ordinal: 1, interval: 1 } });
  const [dull] = computeJudgeReliability([{ evaluator, scores: [5, 5], response_tokens: 1 }]);
  expect(dull?.alpha).toEqual({ ordinal: null, interval: null });
});

test('without a response scored twice all is null', () => {
  expect(computeJudgeReliability([])).toEqual([]);
  expect(computeJudgeReliability([{ evaluator: 'j', scores: [5, null], response_tokens: 10 }])).toEqual([
    {
      evaluator: 'j',
      n_responses: 0,
      n_missing: 1,
      mean_deviation: null,
      mean_range: null,
      largest_range: null,
      alpha: { ordinal: null, interval: null },
      score_and_length: { n: 0, r: null, p: null },
    },
  ]);
});
