import { formatThisCommandWith, formatThisCommandWithout } from '../../../cli/command-line';
import { COMMAND } from '../../../cli/exit';

const { argv } = process;
afterEach(() => (process.argv = argv));

test.each([
  [['synth', '--budget', '5usd', '--seed', '1'], 'synth --seed 1 --budget AMOUNT'],
  [['synth', '--budget=5usd', '--seed', '1'], 'synth --seed 1 --budget AMOUNT'],
  [['synth', '--output-dir', 'my run'], "synth --output-dir 'my run' --budget AMOUNT"],
])('%j gets another value of an option in place of its own', (args, command) => {
  process.argv = ['node', 'main.js', ...args];
  expect(formatThisCommandWith('--budget', 'AMOUNT')).toBe(`${COMMAND} ${command}`);
});

test('a command is formatted without an option', () => {
  process.argv = ['node', 'main.js', 'publish', 'out', '--dry-run', '--repo', 'a/b'];
  expect(formatThisCommandWithout('--dry-run')).toBe(`${COMMAND} publish out --repo a/b`);
});
