import { formatDuration } from '../../../../schemas/text/numbers';
import { buildNumberParser } from '../../../../cli/options';
import { formatCount, formatNumber, pluralize } from '../../../../schemas/text/count-text';

test('what is counted is in the plural unless there is one of it', () => {
  expect([0, 1, 2, 12_345].map((count) => formatCount(count, 'persona'))).toEqual([
    '0 personas',
    '1 persona',
    '2 personas',
    '12,345 personas',
  ]);
  expect([1, 2].map((count) => formatCount(count, 'worker process', 'worker processes'))).toEqual([
    '1 worker process',
    '2 worker processes',
  ]);
  expect([0, 1, 2].map((count) => pluralize(count, 'is', 'are'))).toEqual(['are', 'is', 'are']);
});

test('a time is as exact as one needs it', () => {
  expect([0.2, 89, 100, 5_340, 16_500].map(formatDuration)).toEqual([
    '1 s',
    '89 s',
    '2 min',
    '89 min',
    '4 h 35 min',
  ]);
});

test.each(['9007199254740992', '99999999999999999999'])(
  '%s is refused with the largest number there is',
  (text) => {
    expect(() => buildNumberParser(1)(text)).toThrow('at least 1 and at most 9007199254740991');
  },
);

test('what is no number is refused without it', () => {
  expect(() => buildNumberParser(1)('0')).toThrow(/at least 1\.$/);
});

test.each([0, 999, 1000, -1234, 1_234_567.5, 0.1234, 1_000_000.0004, 123_456_789_012])(
  '%s is written as Intl writes it',
  (value) => {
    expect(formatNumber(value)).toBe(value.toLocaleString('en-US'));
  },
);
