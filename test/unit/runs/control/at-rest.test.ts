import { findPauseAtRest } from '../../../../runs/control/at-rest';
import { computeTotals } from '../../../../engine/costs/ledger';
import { steeringSchema } from '../../../../schemas/run/steering';

const LEDGER = [
  { ...computeTotals([]), spec: 'openai:gpt-6-luna', step: 'user' as const, input: 90, output: 10 },
];

test.each([
  ['nothing steers it', {}, undefined],
  ['it is paused', { paused: true }, 'user'],
  ['a part of its budget is spent', { budget: { unit: 'tokens', cap: 101 } }, undefined],
  ['its budget is spent', { budget: { unit: 'tokens', cap: 100 } }, 'budget'],
])('why a run may call no model: %s', (_, given, by) => {
  expect(findPauseAtRest(steeringSchema.parse(given), LEDGER).paused?.by).toBe(by);
});
