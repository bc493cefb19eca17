import * as z from 'zod';
import { buildPersonaWorkflowId } from '../../../../engine/journal/key';
import { startRun } from './in-process';

const eventsSchema = z.array(
  z.object({
    activityTaskScheduledEventAttributes: z
      .object({
        heartbeatTimeout: z.object({ seconds: z.coerce.number() }),
      })
      .nullish(),
  }),
);

// On the embedded engine, the end-to-end tests notice kills within seconds.
test('on a cluster a call is given up a minute and a half after its last heartbeat, in every workflow of the run', async () => {
  await using run = await startRun({ nPersonas: 1, nSessions: 9, maxTurns: 3 });
  await run.run.result();
  for (const workflowId of [run.runId, buildPersonaWorkflowId(run.runId, 1)]) {
    const { events } = await run.client.workflow.getHandle(workflowId).fetchHistory();
    const timeouts = eventsSchema
      .parse(events)
      .flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled === null || scheduled === undefined ? [] : [scheduled.heartbeatTimeout.seconds],
      );
    expect(timeouts).toContain(90);
    expect(timeouts).not.toContain(4);
  }
});
