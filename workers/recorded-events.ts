import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { z } from 'zod';
import type { RecordedEvent } from '../schemas/bundle';

/** A recorded event: its number, its type as Temporal names it, and the activity or child that it is about. */
export interface EventName {
  readonly id: number;
  readonly type: string;
  readonly of?: string;
}

/** How a recording ends. */
export interface RecordedEnd {
  readonly state:
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'terminated'
    | 'timed out'
    | 'continued as new'
    | 'open';
  /** Why it failed. */
  readonly cause?: string;
  /** Activities that an open one waits for, by their type. */
  readonly waitingFor: readonly string[];
  /** When the recording begins and ends. */
  readonly from: string;
  readonly to: string;
  readonly events: number;
}

/** How a history ends. */
export function endOf(events: readonly RecordedEvent[]): RecordedEnd {
  const last = events.at(-1);
  const state = ENDS[last?.eventType ?? ''] ?? 'open';
  const cause = last === undefined ? undefined : causeIn(last);
  return {
    state,
    ...(cause === undefined ? {} : { cause }),
    waitingFor: state === 'open' ? pending(events) : [],
    from: timeOf(events[0]),
    to: timeOf(last),
    events: events.length,
  };
}

const ENDS: Readonly<Record<string, RecordedEnd['state']>> = {
  EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED: 'completed',
  EVENT_TYPE_WORKFLOW_EXECUTION_FAILED: 'failed',
  EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED: 'cancelled',
  EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: 'terminated',
  EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT: 'timed out',
  EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 'continued as new',
};

/** Activities that were scheduled and have no end. */
function pending(events: readonly RecordedEvent[]): string[] {
  const ended = new Set(events.map(scheduledIdIn));
  return events.flatMap((event) => {
    const name = event.eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED' ? subjectOf(event) : undefined;
    return name === undefined || ended.has(event.eventId) ? [] : [name];
  });
}

function timeOf(event: RecordedEvent | undefined): string {
  return z.object({ eventTime: z.string() }).safeParse(event).data?.eventTime ?? '';
}

/** @param events where the activity is looked up that an event is the end of */
export function eventName(event: RecordedEvent, events: readonly RecordedEvent[] = []): EventName {
  const of = subjectOf(event) ?? scheduledBy(event, events);
  return {
    id: Number(event.eventId),
    type: event.eventType.replace(/^EVENT_TYPE_/, ''),
    ...(of === undefined ? {} : { of }),
  };
}

const subjectSchema = z.union([
  z
    .object({
      activityTaskScheduledEventAttributes: z.object({ activityType: z.object({ name: z.string() }) }),
    })
    .transform((event) => event.activityTaskScheduledEventAttributes.activityType.name),
  z
    .object({ startChildWorkflowExecutionInitiatedEventAttributes: z.object({ workflowId: z.string() }) })
    .transform((event) => event.startChildWorkflowExecutionInitiatedEventAttributes.workflowId),
]);

/** The activity or child that an event schedules. */
function subjectOf(event: RecordedEvent): string | undefined {
  return subjectSchema.safeParse(event).data;
}

const closedSchema = z.object({ scheduledEventId: z.string() });

/** The activity that an event is the end of. */
function scheduledBy(event: RecordedEvent, events: readonly RecordedEvent[]): string | undefined {
  const id = scheduledIdIn(event);
  const scheduled = events.find(({ eventId }) => eventId === id);
  return scheduled === undefined ? undefined : subjectOf(scheduled);
}

function scheduledIdIn(event: RecordedEvent): string | undefined {
  const [attributes] = Object.entries(event).flatMap(([name, value]) =>
    /^activityTask(Completed|Failed|TimedOut|Canceled)EventAttributes$/.test(name) ? [value] : [],
  );
  return closedSchema.safeParse(attributes).data?.scheduledEventId;
}

const answerSchema = z.object({ key: z.string() });

/** The key under which an activity answered; undefined for an event that is no such answer. */
export function answerKeyIn(event: RecordedEvent): string | undefined {
  if (event.eventType !== 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED') return undefined;
  const [completed] = historyFromJSON({ events: [event] }).events ?? [];
  const [payload] = completed?.activityTaskCompletedEventAttributes?.result?.payloads ?? [];
  return payload ? answerSchema.safeParse(defaultPayloadConverter.fromPayload(payload)).data?.key : undefined;
}

const failedSchema = z.object({
  workflowExecutionFailedEventAttributes: z.object({ failure: z.object({ message: z.string() }) }),
});

export function causeIn(event: RecordedEvent): string | undefined {
  return failedSchema.safeParse(event).data?.workflowExecutionFailedEventAttributes.failure.message;
}
