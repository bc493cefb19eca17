import { formatUsageError } from '../../../cli/error-text';

test.each([
  [
    "error: unknown command 'stats'\n(Did you mean status?)\n",
    "cupid: unknown command 'stats'\n(Did you mean status?)\n",
  ],
  [
    "error: option '--n-personas <n>' argument 'x' is invalid. Expected a whole number of at least 1.\n",
    'cupid: --n-personas "x": Expected a whole number of at least 1.\n',
  ],
  // A value that its problem quotes is not repeated.
  [
    "error: option '--model <spec>' argument 'x' is invalid. \"x\" names no known provider.",
    'cupid: --model: "x" names no known provider.',
  ],
  [
    "error: option '-m, --model <spec>' argument 'it's\nx' is invalid. Expected y.",
    'cupid: --model "it\'s\nx": Expected y.',
  ],
  [
    "error: command-argument value '' is invalid for argument 'run'. The path is empty.",
    'cupid: <run> "": The path is empty.',
  ],
])('%j', (text, shown) => {
  expect(formatUsageError(text)).toBe(shown);
});
