import { quotePath } from '../../../../schemas/text/shell-text';

test.each([
  ['out', 'out'],
  ['my run', "'my run'"],
  ["Lena's", "'Lena'\\''s'"],
  ['-slow', './-slow'],
  ['--help me', "'./--help me'"],
  ['s3://bucket/runs/one', 's3://bucket/runs/one'],
])('the path %s is one word of a command, and none of its options', (path, said) => {
  expect(quotePath(path)).toBe(said);
});
