import { createCountProgress } from '../../../cli/progress-lines';

afterEach(() => jest.restoreAllMocks());

test('a count is printed every two seconds from its first step on, with its total if that is known', () => {
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const now = jest.spyOn(performance, 'now');
  const progress = createCountProgress('Reading the data', 'instances');
  const steps = [
    { seconds: 60, done: 1 },
    { seconds: 61.9, done: 900 },
    { seconds: 62.1, done: 1_000 },
    { seconds: 63, done: 2_000 },
    { seconds: 64.2, done: 3_000, total: 3_024 },
  ];
  for (const { seconds, ...step } of steps) {
    now.mockReturnValue(seconds * 1_000);
    progress(step);
  }
  expect(written.mock.calls.map(([text]) => text)).toEqual([
    'Reading the data: 1,000 instances so far.\n',
    'Reading the data: 3,000 of 3,024 instances.\n',
  ]);
});
