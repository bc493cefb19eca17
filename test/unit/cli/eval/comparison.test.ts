import { describeComparison } from '../../../../cli/eval/print-evaluation';
import { buildSynthesizerSections } from '../../../../runs/tables/synthesizers';
import { compareSynthesizers } from '../../../../rules/analyses/synthesizers';
import { buildRows } from '../../runs/tables/results';
import { compareDataSets } from '../../../../rules/analyses/data-sets';

const ROWS = buildRows();
const SYNTHESIZERS = compareSynthesizers(ROWS);
const DATA_SETS = compareDataSets(ROWS, [{ source: 'other', rows: ROWS }], { seed: 1, resamples: 20 });

test('--compare says which tables it adds, and why another is not among them', () => {
  expect(buildSynthesizerSections(SYNTHESIZERS)).toHaveLength(1);
  expect(describeComparison({ synthesizers: [], data_sets: [], shortcuts: [] })).toMatch(
    /^--compare adds no table: /,
  );
  expect(describeComparison({ synthesizers: [], data_sets: DATA_SETS, shortcuts: [] })).toBe(
    '--compare adds to results.txt: This data set against others. Figure 10 is not among them: it needs data that different models generated.',
  );
  expect(describeComparison({ synthesizers: SYNTHESIZERS, data_sets: DATA_SETS, shortcuts: [] })).toBe(
    '--compare adds to results.txt: This data set against others; Tested models by the model that generated the data (figure 10).',
  );
});
