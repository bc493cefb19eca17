import { retryAfterMs } from '../../../models/retry-after';

test.each([
  ['seconds', { 'retry-after': '12' }, 12_000],
  ['parts of a second', { 'retry-after': '0.5' }, 500],
  ['milliseconds, which go before seconds', { 'retry-after-ms': '150', 'retry-after': '1' }, 150],
  [
    'a date, against the date of the answer',
    { date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' },
    30_000,
  ],
  [
    'a date that has passed',
    { date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2026 07:00:00 GMT' },
    0,
  ],
  ['nothing', {}, undefined],
  ['nonsense', { 'retry-after': 'soon' }, undefined],
  ['less than nothing', { 'retry-after': '-3' }, undefined],
])('Retry-After in %s', (_, headers, expected) => {
  expect(retryAfterMs(new Headers(headers))).toBe(expected);
});

test('a date without the date of the answer is measured from now', () => {
  const wait = retryAfterMs(new Headers({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }));
  expect(wait).toBeGreaterThan(3_000_000);
  expect(wait).toBeLessThanOrEqual(3_600_000);
});
