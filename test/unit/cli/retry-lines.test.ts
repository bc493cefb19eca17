import { renderRetryCommands } from '../../../cli/retry-lines';

const RETRY = `Retry: cupid retry out (or another)`;
const REPAIR = `Repair the damaged journal: cupid retry out --damaged`;

test.each([
  ['only other failures', ['bad-answer'], [RETRY]],
  ['only damage', ['journal-damaged'], [REPAIR]],
  ['both', ['refused', 'answer-changed'], [REPAIR, RETRY]],
])('after %s, the commands that finish the work are named', (_what, kinds, lines) => {
  const failed = kinds.map((kind) => ({ kind }));
  expect(renderRetryCommands(failed, 'out', ' (or another)')).toEqual(lines);
});
