import * as fc from 'fast-check';
import { analyzeLengths } from '../../../../rules/analyses/lengths';
import { buildGeneration, buildInference, buildInferenceOf, NO_AVERAGES, open } from './rows';

const long = (prior_tokens: number, persona: number) => ({ prior_tokens, persona_id: `${persona}+baker` });
const rowsOf = (tokens: readonly number[]) =>
  tokens.map((length, n) => buildInferenceOf(0.5, long(length, n)));

test('bins hold as many instances each, shortest first, and are labeled by their longest', () => {
  const { bins } = analyzeLengths(rowsOf([1000, 900, 800, 700, 600, 500, 400, 300, 200, 100]));
  expect(bins).toEqual([
    { min_tokens: 100, max_tokens: 200, n_instances: 2 },
    { min_tokens: 300, max_tokens: 400, n_instances: 2 },
    { min_tokens: 500, max_tokens: 600, n_instances: 2 },
    { min_tokens: 700, max_tokens: 800, n_instances: 2 },
    { min_tokens: 900, max_tokens: 1000, n_instances: 2 },
  ]);
});

test('instances of one length stay in one bin, the one where the middle of them falls', () => {
  // Four of ten share a length; in five bins of two, the first belongs to the second bin, their middle to the third, the last to the fourth.
  expect(analyzeLengths(rowsOf([1, 2, 3, 5, 5, 5, 5, 8, 9, 10])).bins).toEqual([
    { min_tokens: 1, max_tokens: 2, n_instances: 2 },
    { min_tokens: 3, max_tokens: 3, n_instances: 1 },
    { min_tokens: 5, max_tokens: 5, n_instances: 4 },
    { min_tokens: 8, max_tokens: 8, n_instances: 1 },
    { min_tokens: 9, max_tokens: 10, n_instances: 2 },
  ]);
  expect(analyzeLengths(rowsOf([7, 7, 7, 7, 7, 7])).bins).toEqual([
    { min_tokens: 7, max_tokens: 7, n_instances: 6 },
  ]);
});

test('each cell has its own numbers in the bins that all cells share', () => {
  const rows = [
    // Micro: 1 of 2 predicted and 3 of 4 true entries; F1 of the instances 1/3 and 2/3.
    buildInference({ ...long(100, 1), n_predicted: 1, n_predicted_matched: 0, f1: 1 / 3 }),
    buildInference({ ...long(100, 2), n_predicted: 1, n_true_matched: 2, f1: 2 / 3 }),
    open(buildInference(long(400, 3))),
    open(buildInference(long(400, 4))),
    buildGeneration(4, long(100, 1)),
    buildGeneration(9, long(400, 3)),
    buildGeneration(6, long(400, 4)),
  ];
  const { bins, cells } = analyzeLengths(rows);
  expect(bins.map(({ max_tokens, n_instances }) => [max_tokens, n_instances])).toEqual([
    [100, 2],
    [400, 2],
  ]);
  // P = 1/2, R = 3/4, F1 = 2 · 3/8 / (5/4)
  const averages = { precision: 0.5, recall: 0.75, f1: 0.6, macro_f1: 0.5 };
  expect(cells.map((cell) => cell.bins)).toEqual([
    [
      { ...NO_AVERAGES, ...averages, max_tokens: 100, n_instances: 2 },
      { ...NO_AVERAGES, max_tokens: 400, n_instances: 0 },
    ],
    [
      { ...NO_AVERAGES, max_tokens: 100, n_instances: 1, average_score: 4 },
      { ...NO_AVERAGES, max_tokens: 400, n_instances: 2, average_score: 7.5 },
    ],
  ]);
});

test('an instance evaluated in many cells counts once', () => {
  const rows = ['simulated:a', 'simulated:b', 'simulated:c'].map((model) => buildInferenceOf(0.5, { model }));
  expect(analyzeLengths(rows).bins).toEqual([{ min_tokens: 8000, max_tokens: 8000, n_instances: 1 }]);
});

test('every instance is in one bin, bins do not overlap, and without repeats they differ by one at most', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 80 });
  fc.assert(
    fc.property(lengths, (tokens) => {
      const { bins, cells } = analyzeLengths(rowsOf(tokens));
      expect(bins.length).toBeLessThanOrEqual(5);
      expect(bins.reduce((sum, { n_instances }) => sum + n_instances, 0)).toBe(tokens.length);
      for (const [place, { min_tokens, max_tokens, n_instances }] of bins.entries()) {
        const inside = tokens.filter((length) => length >= min_tokens && length <= max_tokens);
        expect(n_instances).toBe(inside.length);
        expect(min_tokens).toBeGreaterThan(bins[place - 1]?.max_tokens ?? -1);
      }
      const counts = bins.map(({ n_instances }) => n_instances);
      for (const cell of cells) expect(cell.bins.map(({ n_instances }) => n_instances)).toEqual(counts);
      const distinct = [...new Set(tokens)];
      const sizes = analyzeLengths(rowsOf(distinct)).bins.map(({ n_instances }) => n_instances);
      expect(sizes).toHaveLength(Math.min(5, distinct.length));
      expect(Math.max(0, ...sizes) - Math.min(...sizes, Math.max(0, ...sizes))).toBeLessThanOrEqual(1);
    }),
  );
});

test('no rows give no bins', () => {
  expect(analyzeLengths([])).toEqual({ bins: [], cells: [] });
});
