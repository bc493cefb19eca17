import { computeErrorShares, sampleLowF1 } from '../../../../rules/analyses/errors';
import { getCellKey } from '../../../../rules/analyses/groups';
import { buildGeneration, buildInferenceOf, markMissing, markTooLong } from './rows';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const LOW = range(30).map((n) => buildInferenceOf(n / 200, { persona_id: `${n}+baker` }));

test('the sample is of scored inferences with an F1 below 0.2', () => {
  const rows = [
    buildInferenceOf(0, { persona_id: '1+baker' }),
    buildInferenceOf(0.19, { persona_id: '2+cook' }),
    buildInferenceOf(0.2, { persona_id: '3+judge' }),
    // A fifth, computed: 2 · (1/9 · 1) / (1/9 + 1)
    buildInferenceOf((2 * (1 / 9)) / (1 / 9 + 1), { persona_id: '8+judge' }),
    buildInferenceOf(0.9, { persona_id: '4+nurse' }),
    markTooLong(buildInferenceOf(0, { persona_id: '5+clerk' })),
    markMissing(buildInferenceOf(0, { persona_id: '6+clerk' })),
    buildGeneration(1, { persona_id: '7+clerk' }),
  ];
  expect(sampleLowF1(rows, 50, 42).map(({ persona_id }) => persona_id)).toEqual(['1+baker', '2+cook']);
  expect(sampleLowF1([], 50, 42)).toEqual([]);
});

test('each cell has its own sample', () => {
  const rows = [
    ...LOW,
    ...LOW.map((row) => ({ ...row, model: 'simulated:b' })),
    ...LOW.slice(0, 2).map((row) => ({ ...row, context: 'summary' as const })),
  ];
  const sample = sampleLowF1(rows, 5, 42);
  const chosen = (model: string, context: string) =>
    sample.filter((row) => row.model === model && row.context === context).map((row) => row.persona_id);
  expect(chosen('simulated:a', 'full')).toHaveLength(5);
  expect(chosen('simulated:b', 'full')).toHaveLength(5);
  expect(chosen('simulated:b', 'full')).not.toEqual(chosen('simulated:a', 'full'));
  expect(chosen('simulated:a', 'summary')).toEqual(['0+baker', '1+baker']);
});

test('the same seed draws the same, whatever the order or the other cells; a larger sample holds the smaller', () => {
  const sample = sampleLowF1(LOW, 10, 42);
  expect(sampleLowF1(LOW.toReversed(), 10, 42)).toEqual(sample);
  const others = LOW.map((row) => ({ ...row, model: 'simulated:0' }));
  const together = sampleLowF1([...others, ...LOW], 10, 42);
  expect(together.filter(({ model }) => model === 'simulated:a')).toEqual(sample);
  expect(sampleLowF1(LOW, 10, 43)).not.toEqual(sample);
  expect(sampleLowF1(LOW, 20, 42)).toEqual(expect.arrayContaining(sample));
});

test('what a row carries besides its numbers is kept', () => {
  const rows = LOW.map((row) => ({ ...row, inferred_preference: 'Terse.' }));
  expect(sampleLowF1(rows, 1, 42)[0]?.inferred_preference).toBe('Terse.');
});

test('the table has the share of each type among the labeled inferences of a cell', () => {
  const [a, b] = [buildInferenceOf(0), buildInferenceOf(0, { model: 'simulated:b' })];
  const table = computeErrorShares([
    { ...b, type: 'Vagueness' },
    { ...a, type: 'Incorrect Context' },
    { ...a, type: 'Hallucination' },
    { ...a, type: null },
    { ...a, type: 'Incorrect Context' },
    { ...a, type: 'Incorrect Context' },
  ]);
  expect(table).toEqual([
    {
      ...getCellKey(a),
      n_labeled: 4,
      n_missing: 1,
      types: [
        { type: 'Incorrect Context', count: 3, share: 0.75 },
        { type: 'Shallow Inference', count: 0, share: 0 },
        { type: 'Vagueness', count: 0, share: 0 },
        { type: 'Hallucination', count: 1, share: 0.25 },
      ],
    },
    expect.objectContaining({ ...getCellKey(b), n_labeled: 1, n_missing: 0 }),
  ]);
});

test('a cell whose labeling gave nothing has no shares', () => {
  expect(computeErrorShares([])).toEqual([]);
  const [row] = computeErrorShares([{ ...buildInferenceOf(0), type: null }]);
  expect(row).toMatchObject({ n_labeled: 0, n_missing: 1 });
  expect(row?.types.map(({ share }) => share)).toEqual([null, null, null, null]);
});
