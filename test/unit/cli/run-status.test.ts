import { runStatus } from '../../../cli/run-status';
import type { RunProgress } from '../../../client/drive-run';
import type { WorldEvent } from '../../../workers/world';

test('nothing is remembered of a persona that is closed: made anew, it is told of from the beginning', () => {
  const status = runStatus();
  status.observe(answerOf(7));
  expect(status.of(progress([7])).atWork).toEqual(['  persona 7: journey']);
  expect(status.of(progress([])).atWork).toEqual([]);
  expect(status.of(progress([7])).atWork).toEqual(['  persona 7: starting']);
});

function answerOf(persona: number): WorldEvent {
  const workflowId = `cupid-1a2b3c4d/p${persona}`;
  return {
    type: 'answer',
    step: 'journey',
    spec: 'simulated:default',
    paid: true,
    good: true,
    usage: {},
    workflowId,
  };
}

function progress(open: readonly number[]): RunProgress {
  return { personas: 9, finished: 0, failed: 0, open, building: false };
}
