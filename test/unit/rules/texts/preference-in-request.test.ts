import { computePreferenceShare, TELLING_SHARE } from '../../../../rules/texts/preference-in-request';

const PREFERENCE = 'Summaries must open with the key risks and cite two independent sources.';

test.each([
  ['says nothing of it', 'Can you help me with my slides for Monday?', 0],
  // open key risk cite two independent source, and summary
  ['has one word of eight', 'Which summary should I send?', 1 / 8],
  ['has words in other forms', 'Please cite a source, or citing several sources, in the summary.', 3 / 8],
  ['tells half of it in its own words', 'Write a summary, name key risks and cite.', 4 / 8],
  ['tells the preference word for word', `Write it. ${PREFERENCE.toLowerCase()} Thanks!`, 1],
  ['tells five of its content words in a row', 'I want key risks, and to cite two independent people.', 1],
])('a request that %s has that share of it', (_, request, share) => {
  expect(computePreferenceShare(request, PREFERENCE, 'Quarterly Report')).toBeCloseTo(share, 10);
});

test('words of the context factor do not count, neither in the preference nor in the request', () => {
  const preference = 'For the harbour audit, tables must be sorted by date.';
  expect(computePreferenceShare('What about the harbour audit?', preference, 'Harbour Audit')).toBe(0);
  expect(computePreferenceShare('What about the harbour audits?', preference, 'Harbour Audit')).toBe(0);
  expect(computePreferenceShare('What about the harbour audit?', preference, 'Accounts')).toBeGreaterThan(0);
  expect(computePreferenceShare('Tables, sorted by date.', preference, 'Harbour Audit')).toBe(1);
});

test('a preference without content words is revealed word for word or not at all', () => {
  expect(computePreferenceShare('Whatever comes first.', 'Only what is needed.', 'Accounts')).toBe(0);
  expect(computePreferenceShare('Only what is needed, please.', 'Only what is needed.', 'Accounts')).toBe(1);
  expect(computePreferenceShare('Anything.', '', 'Accounts')).toBe(0);
});

test('upper and lower case, forms of characters and kinds of apostrophes do not matter', () => {
  const share = computePreferenceShare('ﬁrst THE CAFÉ’S menu', "the cafe\u0301's menu first", 'Kitchen');
  expect(share).toBe(1);
});

test('what is noticed is half of a preference, not single words of the matter', () => {
  const [matter = 1, telling = 0] = [
    'Which two risks are in my summary?',
    'Open the summary with risks and cite sources.',
  ].map((request) => computePreferenceShare(request, PREFERENCE, 'Review'));
  expect(matter).toBeLessThan(TELLING_SHARE);
  expect(telling).toBeGreaterThanOrEqual(TELLING_SHARE);
});
