import type { Guard } from '../../../../engine/limits/call-guard';
import { FailingCalls } from '../../../../engine/limits/failing-calls';
import { CallGate } from '../../../../activities/call-gate';
import { RunEvents } from '../../../../activities/run-events';

/** Creates a gate with its events, and a guard that admits this many calls in flight. A call that fails by itself is given up without delay. */
export function createGate(limit: number) {
  let inFlight = 0;
  const events = new RunEvents();
  events.subscribe(({ type }) => {
    if (type === 'admitted') inFlight += 1;
    if (type === 'released') inFlight -= 1;
  });
  const guard: Guard = { admits: () => inFlight < limit };
  return {
    gate: new CallGate(events, new FailingCalls(0)),
    capacity: () => limit,
    guardsOf: () => [guard],
    events,
  };
}
