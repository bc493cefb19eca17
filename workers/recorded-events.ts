import { z } from 'zod';
import { recordedAnswerSchema, type RecordedAnswer } from '../schemas/recorded-answer';
import type { RecordedEvent } from '../schemas/bundle';
import type { SynthesisStep } from '../schemas/step';

/** A recorded event: its number, its type as Temporal names it, and the activity or child that it is about. */
export interface EventName {
  readonly id: number;
  readonly type: string;
  readonly of?: string;
}

/** A call to a model as a history records it. */
export interface RecordedCall {
  /** The number of the event that schedules it. */
  readonly scheduled: number;
  readonly step: SynthesisStep;
  readonly turn: number;
  readonly generation: number;
  readonly ask: number;
  /** Personas that it describes. */
  readonly count?: number;
  /** Absent while there is none, and where the call failed. */
  readonly answer?: RecordedAnswer & { readonly event: number };
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

/** The steps by the activities that ask their models. */
const STEPS: ReadonlyMap<string | undefined, SynthesisStep> = new Map([
  ['describePersonas', 'describe'],
  ['generateFactors', 'factors'],
  ['generateJourney', 'journey'],
  ['decomposePreference', 'checklist'],
  ['assistantTurn', 'assistant'],
  ['userTurn', 'user'],
]);

/** The step whose model an activity asks; undefined for an activity that asks none. */
export function stepOfActivity(name: string | undefined): SynthesisStep | undefined {
  return STEPS.get(name);
}

/** What identifies a call in the input of its activity. */
const callInputSchema = z.object({
  generation: z.number().int().nonnegative(),
  ask: z.number().int().nonnegative(),
  turns: z.array(z.unknown()).optional(),
  index: z.number().int().optional(),
  first: z.number().int().optional(),
  count: z.number().int().optional(),
});

/** The calls to models, in the order in which they were scheduled. Calls whose input cannot be read are left out. */
export function readCalls(events: readonly RecordedEvent[]): RecordedCall[] {
  const answers = new Map(
    events.flatMap((event) => {
      const scheduled = scheduledIdIn(event);
      const answer = recordedAnswerSchema.safeParse(resultOf(event));
      if (scheduled === undefined || !answer.success) return [];
      return [[scheduled, { ...answer.data, event: Number(event.eventId) }] as const];
    }),
  );
  return events.flatMap((event) => {
    const step = stepOfActivity(subjectOf(event));
    const input = callInputSchema.safeParse(inputOf(event));
    if (step === undefined || !input.success) return [];
    const { generation, ask, turns, index, first, count } = input.data;
    const answer = answers.get(event.eventId);
    return [
      {
        scheduled: Number(event.eventId),
        step,
        turn: index ?? (turns === undefined ? (first ?? 0) : turns.length + 1),
        generation,
        ask,
        ...(count === undefined ? {} : { count }),
        ...(answer === undefined ? {} : { answer }),
      },
    ];
  });
}

const payloadsSchema = z.object({ payloads: z.array(z.object({ data: z.string().optional() })).min(1) });

const startedSchema = z.object({
  workflowExecutionStartedEventAttributes: z.object({ input: payloadsSchema }),
});
const scheduledSchema = z.object({
  activityTaskScheduledEventAttributes: z.object({ input: payloadsSchema }),
});
const completedSchema = z.object({
  activityTaskCompletedEventAttributes: z.object({ result: payloadsSchema }),
});

/** What a workflow was started with, or an activity was scheduled with; undefined for other events. */
export function inputOf(event: RecordedEvent): unknown {
  const input =
    startedSchema.safeParse(event).data?.workflowExecutionStartedEventAttributes.input ??
    scheduledSchema.safeParse(event).data?.activityTaskScheduledEventAttributes.input;
  return valueOf(input);
}

/** What an activity returned; undefined for other events. */
export function resultOf(event: RecordedEvent): unknown {
  return valueOf(completedSchema.safeParse(event).data?.activityTaskCompletedEventAttributes.result);
}

function valueOf(payloads: z.infer<typeof payloadsSchema> | undefined): unknown {
  const data = payloads?.payloads[0]?.data;
  return data === undefined ? undefined : parsePayload(data);
}

/** The JSON in a payload; undefined when it is none. */
export function parsePayload(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

const failedSchema = z.object({
  workflowExecutionFailedEventAttributes: z.object({ failure: z.object({ message: z.string() }) }),
});

export function causeIn(event: RecordedEvent): string | undefined {
  return failedSchema.safeParse(event).data?.workflowExecutionFailedEventAttributes.failure.message;
}
