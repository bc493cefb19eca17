import { CallGate } from '../../../activities/call-gate';
import { RunEvents } from '../../../activities/run-events';
import { createKnowledge } from '../../../models/adapting-model';
import { openWorld } from '../../../workers/world';

/** Opens the world of a run in which no call is made. @param mayAsk models that may be asked */
export function openIdleWorld<Run extends Parameters<typeof openWorld>[0]['run']>(
  run: Run,
  mayAsk: ReadonlySet<string>,
) {
  return openWorld({
    run,
    mayAsk,
    gate: new CallGate(new RunEvents()),
    capacity: () => 1,
    guardsOf: () => [],
    ledger: {
      worker: 'idle',
      rows: () => [],
      estimate: () => ({ input: 0, output: 0 }),
      sent: () => Promise.reject(new Error('No call is made.')),
    },
    knowledge: () => createKnowledge(),
    tiers: () => ({}),
    environment: {},
    ended: new AbortController().signal,
    emit: () => undefined,
  });
}
