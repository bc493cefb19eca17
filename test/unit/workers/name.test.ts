import { createWorkerName } from '../../../workers/run-ledger';

test('runs that a process begins to work for at once have workers of different names', async () => {
  const names = await Promise.all([createWorkerName(), createWorkerName(), createWorkerName()]);
  expect(new Set(names).size).toBe(3);
});
