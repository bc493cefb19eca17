import { buildFailedWork, isFailedCall } from '../../../../engine/journal/failed-work';
import type { FailedCall } from '../../../../schemas/run/outcome';

const call: FailedCall = {
  workflowId: 'run/p3/s5',
  persona: 3,
  session: 5,
  step: 'user',
  turn: 4,
  kind: 'bad-answers',
  cause: 'No usable answer after 6 attempts.',
  reasons: ['no score'],
};

test.each<Partial<Record<keyof FailedCall, unknown>>>([
  {},
  { persona: undefined, session: undefined, step: 'judge', turn: '2.r2' },
  { reasons: [] },
])('%j makes a failed call', (change) => {
  expect(isFailedCall({ ...call, ...change })).toBe(true);
});

test.each<Partial<Record<keyof FailedCall, unknown>>>([
  { workflowId: null },
  { step: 'think' },
  { turn: null },
  { persona: '3' },
  { kind: 7 },
  { reasons: 'no score' },
  { reasons: [1] },
])('%j makes none', (change) => {
  expect(isFailedCall({ ...call, ...change })).toBe(false);
});

test('a failure of another kind carries no failed call', () => {
  for (const detail of [undefined, null, 'no', [call]]) expect(isFailedCall(detail)).toBe(false);
});

test('the failed work of a persona names it, whatever its call did', () => {
  const { persona: _, ...ofBatch } = call;
  expect(buildFailedWork(ofBatch, 7)).toEqual({ ...call, persona: 7 });
});
