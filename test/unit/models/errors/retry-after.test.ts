import { classifyFailure } from '../../../../models/errors/failure';
import { parseHttpFailure, parseRetryAfterMs } from '../../../../models/errors/failure-body';

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
  expect(parseRetryAfterMs(new Headers(headers))).toBe(expected);
});

test('a date without the date of the answer is measured from now', () => {
  const wait = parseRetryAfterMs(
    new Headers({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }),
  );
  expect(wait).toBeGreaterThan(3_000_000);
  expect(wait).toBeLessThanOrEqual(3_600_000);
});

test.each<[string, Record<string, string>, unknown, string]>([
  ['seconds', { 'retry-after': '315360000' }, {}, '87,600 hours'],
  ['milliseconds', { 'retry-after-ms': '5400000' }, {}, '2 hours'],
  ['more digits than a number holds', { 'retry-after': '9'.repeat(400) }, {}, 'indefinitely'],
  [
    'a date',
    { date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after': 'Thu, 21 Oct 2027 07:28:00 GMT' },
    {},
    '8,760 hours',
  ],
  ['the delay in a body', {}, { error: { details: [{ retryDelay: '3660s' }] } }, '61 minutes'],
])('a wait of more than an hour, in %s, is an hour, and the message says so', (_, headers, body, asked) => {
  const caller = { spec: 'openai:gpt-4o', keyHint: 'OPENAI_API_KEY', secrets: [] };
  const failure = parseHttpFailure(429, new Headers(headers), JSON.stringify(body));
  const error = classifyFailure(caller, failure);

  expect(error.retryAfterMs).toBe(3_600_000);
  expect(error.message).toContain(`asked us to wait ${asked}; the model is called again after 1 hour.`);
});

test('a wait of an hour is granted without a word about it', () => {
  const caller = { spec: 'openai:gpt-4o', keyHint: 'OPENAI_API_KEY', secrets: [] };
  const failure = parseHttpFailure(429, new Headers({ 'retry-after': '3600' }), '');
  expect(classifyFailure(caller, failure).retryAfterMs).toBe(3_600_000);
  expect(classifyFailure(caller, failure).message).not.toContain('asked us to wait');
});
