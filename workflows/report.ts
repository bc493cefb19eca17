import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { WorkflowEvent } from '../schemas/run/workflow-event';

interface EventSinks extends Sinks {
  readonly events: { report(event: WorkflowEvent): void };
}

/** Reports an event of a workflow to this process, for traces. It schedules nothing, so nothing is added to the history. */
export function reportEvent(event: WorkflowEvent): void {
  proxySinks<EventSinks>().events.report(event);
}
