import type { Guard } from '../../../../engine/limits/call-guard';
import { CallGate } from '../../../../activities/call-gate';

/** A gate that lets this many calls be in flight, and has no other guard. */
export function createGate(limit: number): CallGate {
  let inFlight = 0;
  const guard: Guard = {
    admits: () => inFlight < limit,
    entered: () => void (inFlight += 1),
    left: () => void (inFlight -= 1),
  };
  return new CallGate(() => [guard]);
}
