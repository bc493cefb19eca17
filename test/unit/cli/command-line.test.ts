import {
  describeContinuation,
  describeExtension,
  formatThisCommandWith,
  formatThisCommandWithout,
} from '../../../cli/command-line';

const { argv } = process;
afterEach(() => (process.argv = argv));

test.each([
  [['synth', '--budget', '5usd', '--seed', '1'], 'synth --seed 1 --budget AMOUNT'],
  [['synth', '--budget=5usd', '--seed', '1'], 'synth --seed 1 --budget AMOUNT'],
  [['synth', '--output-dir', 'my run'], "synth --output-dir 'my run' --budget AMOUNT"],
])('%j gets another value of an option in place of its own', (args, command) => {
  process.argv = ['node', 'main.js', ...args];
  expect(formatThisCommandWith('--budget', 'AMOUNT')).toBe(`cupid ${command}`);
});

test('a command is formatted without an option', () => {
  process.argv = ['node', 'main.js', 'publish', 'out', '--dry-run', '--repo', 'a/b'];
  expect(formatThisCommandWithout('--dry-run')).toBe(`cupid publish out --repo a/b`);
});

test.each([
  [undefined, [], 'Repeat its cupid eval command to continue.'],
  [undefined, ['--batch'], 'Repeat its cupid eval command with --batch to continue.'],
  [
    'budget',
    ['--batch'],
    'Its budget is spent: repeat its cupid eval command with --batch and a higher --budget to continue.',
  ],
  [
    'user',
    [],
    "It stays paused. To continue, end the pause: cupid resume 'my run'. Then repeat its cupid eval command.",
  ],
] as const)('a run with a pause by %s and the options %j: %s', (pausedBy, options, expected) => {
  const run = { id: 'cupid-eval-1a2b3c4d', name: 'my run' };
  expect(describeContinuation(run, pausedBy, ...options)).toBe(expected);
});

test.each([
  [
    'cupid-1a2b3c4d',
    'repeat its cupid synth command with a larger --n-personas, or repair a part with cupid retry out',
  ],
  [
    'cupid-eval-1a2b3c4d',
    'repeat its cupid eval command with other models, contexts or tasks, or repair a part with cupid retry out',
  ],
  [
    'cupid-verify-1a2b3c4d',
    'repeat its cupid verify command with a larger --sample, or repair a part with cupid retry out',
  ],
])('the finished run %s can be continued by adding to it', (id, text) => {
  expect(describeExtension({ id, name: 'out' })).toBe(text);
});
