import { formatCost } from '../../../../schemas/text/amount-text';

test.each([
  [1.25, false, '$1.25'],
  [0, false, '$0.00'],
  [1_234_567.5, false, '$1,234,567.50'],
  [-1_234.5, false, '$-1,234.50'],
  [0.0012, false, '$0.0012'],
  [1.25, true, 'at least $1.25'],
  // Unknown is no 0.
  [0, true, 'unknown'],
])('%d US dollars, without the part of some models: %j, is %s', (usd, isBound, text) => {
  expect(formatCost(usd, isBound)).toBe(text);
});
