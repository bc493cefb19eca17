import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { WorkflowEvent } from '../schemas/run/workflow-event';

interface EventSinks extends Sinks {
  readonly events: { report(event: WorkflowEvent): void };
}

/** Reports an event of a workflow to this process, for traces. Schedules nothing, so it is not in the history. */
export function reportEvent(event: WorkflowEvent): void {
  proxySinks<EventSinks>().events.report(event);
}
