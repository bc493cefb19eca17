import { createWorkerName } from '../../../activities/run-ledger';

test('each time that a process begins to work for a run, its worker has another name', () => {
  expect(new Set([createWorkerName(), createWorkerName(), createWorkerName()]).size).toBe(3);
});
