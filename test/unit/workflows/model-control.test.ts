import { Leases } from '../../../engine/limits/leases';
import { ModelControl } from '../../../workflows/control/model-control';
import type { WorkerReport } from '../../../workflows/messages';
import { EMPTY_REPORT } from '../../engine/workflows/control/empty-report';

const SPEC = 'openai:model';

function report(worker: string, sequence: number, adaptiveLimit?: number): WorkerReport {
  return { ...EMPTY_REPORT, worker, sequence, adaptiveLimit };
}

test('what workers found of the limit of a provider is summed, shared with those that join, and kept for a successor', () => {
  const control = new ModelControl({ spec: SPEC, limits: {} }, new Leases<WorkerReport>(), 0);
  control.take(report('a', 1), 1);
  expect(control.state(1).adaptiveLimit).toBeUndefined();
  control.take(report('a', 2, 37), 2);
  expect(control.state(2).adaptiveLimit).toBe(37);
  control.take(report('b', 1), 3);
  expect(control.directives(report('b', 1), 3).adaptiveLimit).toBe(19);
  control.take(report('b', 2, 12), 4);
  control.take(report('a', 3, 20), 4);
  expect(control.state(4).adaptiveLimit).toBe(32);
  const { model } = control.input;
  const successor = new ModelControl(model, new Leases<WorkerReport>(), 10);
  successor.take(report('c', 1), 11);
  expect(successor.directives(report('c', 1), 11).adaptiveLimit).toBe(32);
  // A worker that is not held ends it.
  successor.take(report('c', 2), 12);
  expect(successor.state(12).adaptiveLimit).toBeUndefined();
});
