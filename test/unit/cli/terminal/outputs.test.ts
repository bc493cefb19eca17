import { renderOutputs } from '../../../../cli/terminal/outputs';

const DESCRIPTIONS = { 'CUPID/test.parquet': 'the rows', 'audit.parquet': 'the audit' };
const shown = (file: string) => `out/${file}`;

test.each<[string, Parameters<typeof renderOutputs>[0], lines: string[]]>([
  [
    'in place',
    { foreignFiles: [], withheldFiles: [] },
    ['  out/CUPID/test.parquet  the rows', '  out/audit.parquet  the audit'],
  ],
  [
    "the user's",
    { foreignFiles: ['audit.parquet'], withheldFiles: [] },
    [
      '  out/CUPID/test.parquet  the rows',
      '1 file differs from what this run wrote and was left unchanged: out/audit.parquet.',
      'To get the files of this run: move yours away, then repeat it',
    ],
  ],
  [
    "beside a user's card",
    { foreignFiles: ['CUPID/README.md'], withheldFiles: ['CUPID/README.md', 'CUPID/test.parquet'] },
    [
      '  out/audit.parquet  the audit',
      '1 file differs from what this run wrote and was left unchanged: out/CUPID/README.md.',
      '1 file of the same data was not updated: out/CUPID/test.parquet.',
      'To get the files of this run: move yours away, then repeat it',
    ],
  ],
  [
    'beside an edited card that keeps nothing from being written',
    { foreignFiles: ['CUPID/README.md'], withheldFiles: [] },
    ['  out/CUPID/test.parquet  the rows', '  out/audit.parquet  the audit'],
  ],
])('outputs that are %s are listed as what they are', (_, placement, lines) => {
  expect(renderOutputs(placement, DESCRIPTIONS, shown, 'repeat it')).toEqual(lines);
});
