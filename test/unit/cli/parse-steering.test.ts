import * as fc from 'fast-check';
import { parseBudget, parseMinutes, parseRates, parseTier } from '../../../cli/parse-steering';
import { formatAmount, formatBudget } from '../../../schemas/text/amount-text';

test('budgets are read in dollars and in tokens, whatever the letters’ case', () => {
  expect(parseBudget('50usd')).toEqual({ unit: 'usd', cap: 50 });
  expect(parseBudget('1.5USD')).toEqual({ unit: 'usd', cap: 1.5 });
  expect(parseBudget('20Mtok')).toEqual({ unit: 'tokens', cap: 20_000_000 });
  expect(parseBudget('500 ktok')).toEqual({ unit: 'tokens', cap: 500_000 });
  expect(parseBudget('2gtok')).toEqual({ unit: 'tokens', cap: 2_000_000_000 });
  expect(parseBudget('700tok')).toEqual({ unit: 'tokens', cap: 700 });
});

test.each(['', '50', 'usd', '0usd', '-1usd', '1.2.3usd', '5kusd', '0.1tok', '20M', '50eur', '1e3usd'])(
  'what is no budget is refused with examples: "%s"',
  (text) => {
    expect(() => parseBudget(text)).toThrow(/50usd.*20Mtok/);
  },
);

test('a formatted budget is read back as the budget it was', () => {
  expect(formatBudget({ unit: 'usd', cap: 50 })).toBe('50usd');
  expect(formatBudget({ unit: 'tokens', cap: 1_234_567 })).toBe('1.234567Mtok');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), (cap) => {
      const budget = { unit: 'tokens', cap } as const;
      expect(parseBudget(formatBudget(budget))).toEqual(budget);
    }),
  );
});

test('rates are read in any order, with a SPEC before them where they are of one model', () => {
  expect(parseRates('600rpm 2Mtpm 64inflight')).toEqual({
    limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000, inFlight: 64 },
  });
  expect(parseRates('openai:gpt-4o 500ktpm')).toEqual({
    spec: 'openai:gpt-4o',
    limits: { tokensPerMinute: 500_000 },
  });
  expect(parseRates('module:./my models/a.mjs 8inflight').spec).toBe('module:./my models/a.mjs');
  expect(parseRates('openai:gpt-4o unlimited')).toEqual({ spec: 'openai:gpt-4o', limits: {} });
});

test.each([
  ['', /"" is not a rate/],
  ['openai:gpt-4o', /"openai:gpt-4o" is not a rate/],
  ['600rpm 5', /"5" is not a rate/],
  ['600rpm 2rpm', /rpm is given twice/],
  ['0rpm', /"0rpm" is not a whole number/],
  ['1.5rpm', /"1.5rpm" is not a whole number/],
  ['0.5inflight', /"0.5inflight" is not a whole number/],
  ['1.0005ktpm', /"1.0005ktpm" is not a whole number/],
  ['1.2.3ktpm', /"1.2.3ktpm" is not a whole number/],
  ['unlimited 5rpm', /"unlimited" cannot be combined/],
  ['nobody:x 5rpm', /names no known provider/],
  ['fast 600rpm', /names no known provider/],
])('what is no rate is refused by name, with examples: "%s"', (text, what) => {
  expect(() => parseRates(text)).toThrow(what);
  expect(() => parseRates(text)).toThrow(/600rpm 2Mtpm/);
});

test.each([
  'openai-compatible:llama@https://me:hunter2@host/v1',
  'openai-compatible:llama@https://me:hunter2@host/v1 600rpm',
  'openai-compatible:llama?key=hunter2 fast 600rpm',
])('a wrong rate does not repeat what may be secret in its SPEC: %s', (text) => {
  const error = errorOf(() => parseRates(text));
  expect(error).toMatch(/openai-compatible:llama/);
  expect(error).not.toMatch(/hunter2/);
});

function errorOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  throw new Error('It was accepted.');
}

test('a tier is read with or without the SPEC of a model', () => {
  expect(parseTier('flex')).toEqual({ tier: 'flex' });
  expect(parseTier('openai:gpt-6-luna standard')).toEqual({ spec: 'openai:gpt-6-luna', tier: 'standard' });
  expect(() => parseTier('cheap')).toThrow('Write flex or standard');
  expect(() => parseTier('gpt-6-luna flex')).toThrow('names no known provider');
});

test('a time is read in seconds, minutes or hours', () => {
  expect(['90s', '30m', '1.5h'].map(parseMinutes)).toEqual([90_000, 1_800_000, 5_400_000]);
  for (const text of ['30', '0m', 'm', '30 minutes'])
    expect(() => parseMinutes(text)).toThrow('90s, 30m or 2h');
});

test('amounts are short: cents, and one decimal of the largest unit that fits', () => {
  expect(formatAmount(12.4, 'usd')).toBe('$12.40');
  expect(formatAmount(0, 'usd')).toBe('$0.00');
  expect(formatAmount(0.0042, 'usd')).toBe('$0.0042');
  expect(formatAmount(0, 'tokens')).toBe('0 tok');
  expect(formatAmount(999, 'tokens')).toBe('999 tok');
  expect(formatAmount(3_200_000, 'tokens')).toBe('3.2 Mtok');
  expect(formatAmount(999_960, 'tokens')).toBe('1.0 Mtok');
  expect(formatAmount(999_940, 'tokens')).toBe('999.9 ktok');
  expect(formatAmount(2e9, 'tokens')).toBe('2.0 Gtok');
});
