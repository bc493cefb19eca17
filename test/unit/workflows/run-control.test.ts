import { Leases } from '../../../engine/limits/leases';
import type { WorkerReport } from '../../../workflows/messages';
import { RunControl } from '../../../workflows/control/run-control';
import { EMPTY_REPORT } from '../../engine/workflows/control/empty-report';

test('what a worker spent that leaves while the ledgers of others are read is counted', () => {
  const control = new RunControl(
    { run: 'cupid-1a2b3c4d', models: [], steering: { paused: false, limits: {} }, departedSpending: {} },
    new Leases(undefined, 0),
    0,
  );
  control.take(reportOf('killed', 30), 0);
  control.take(reportOf('leaving', 50), 0);
  const living = ['leaving'];
  control.end('leaving', 1);
  control.end('killed', 1);
  control.settleRead(living, { killed: { usd: 0, tokens: 35 } });
  expect(control.state(1).spent.tokens).toBe(85);
});

function reportOf(worker: string, tokens: number): WorkerReport {
  const usage = { spent: { usd: 0, tokens }, wantsBudget: false, perMinute: 0, concurrency: 1 };
  return { ...EMPTY_REPORT, worker, sequence: 1, usage };
}
