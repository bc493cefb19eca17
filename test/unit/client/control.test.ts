import { maySpend } from '../../../client/control';
import { steeringSchema } from '../../../schemas/steering';

const ledger = [
  {
    spec: 'openai:gpt-6-luna',
    step: 'user' as const,
    calls: 1,
    bad: 0,
    refused: 0,
    input: 90,
    output: 10,
    uncounted: 0,
    lost: 0,
    assumed: { input: 0, output: 0 },
    failed: {},
    milliseconds: 1,
  },
];

test.each([
  ['nothing steers it', {}, true],
  ['it is paused', { paused: true }, false],
  ['a part of its budget is spent', { budget: { unit: 'tokens', cap: 101 } }, true],
  ['its budget is spent', { budget: { unit: 'tokens', cap: 100 } }, false],
])('whether a run may call a model: %s', (_, given, may) => {
  const steering = steeringSchema.parse(given);
  expect(maySpend({ steering, wanted: {}, ledgers: { worker: ledger } })).toBe(may);
});
