import { formatCost } from '../../../../schemas/text/amount-text';

test.each([
  [1.25, false, '$1.25'],
  [0, false, '$0.00'],
  [1.25, true, 'at least $1.25'],
  // Unknown is no 0.
  [0, true, 'unknown'],
])('%d US dollars, without the part of some models: %j, is %s', (usd, isBound, text) => {
  expect(formatCost(usd, isBound)).toBe(text);
});
