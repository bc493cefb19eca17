import { z } from 'zod';
import { computeRevision } from '../../engine/journal/revisions';
import { buildJournalKey, buildWorkId, type CallKey } from '../../engine/journal/key';
import type { RecordedEvent } from '../../schemas/run/bundle';
import { failedWorkSchema, type FailedWork } from '../../schemas/run/outcome';
import {
  recordedAnswerSchema,
  recordedPlanSchema,
  recordedTurnSchema,
  type RecordedAnswer,
  type RecordedOutcome,
} from '../../schemas/run/recorded-answer';
import { restartSchema } from '../../schemas/run/restart';
import type { SynthesisStep } from '../../schemas/run/step';
import type { TranscriptEvent } from '../../schemas/run/transcript';

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
  /** Its key in the journal. */
  readonly key: string;
  /** Of a dialogue's call. */
  readonly session?: number;
  readonly step: SynthesisStep;
  readonly turn: number;
  readonly ask: number;
  /** Personas that it describes. */
  readonly count?: number;
  /** Absent while there is none, and where the call failed. */
  readonly answer?: RecordedAnswer & { readonly event: number };
}

export interface RecordedEnd {
  readonly state:
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'terminated'
    | 'timed out'
    | 'continued as new'
    | 'open';
  readonly cause?: string;
  /** Activities that an open one waits for, by their type. */
  readonly waitingFor: readonly string[];
  /** When the recording begins and ends. */
  readonly from: string;
  readonly to: string;
  readonly events: number;
}

/**
 * How a dialogue ends in the history of its persona, which does not record it: by what it reported while it was replayed.
 * @param failed why it failed, where that is known
 */
export function findDialogueEnd(
  events: readonly RecordedEvent[],
  session: number,
  reports: readonly TranscriptEvent[],
  failed: Pick<FailedWork, 'cause'> | undefined,
): RecordedEnd {
  const { cause: _ofPersona, ...end } = findEnd(events);
  const last = reports.find(
    (one) => (one.event === 'failed' || one.event === 'completed') && one.session === session,
  );
  const cause = failed?.cause ?? (last?.event === 'failed' ? last.cause : undefined);
  if (cause !== undefined) return { ...end, state: 'failed', cause, waitingFor: [] };
  if (last !== undefined) return { ...end, state: 'completed', waitingFor: [] };
  return { ...end, waitingFor: end.state === 'open' ? listPending(events, session) : [] };
}

export function findEnd(events: readonly RecordedEvent[]): RecordedEnd {
  const last = events.at(-1);
  const state = ENDS[last?.eventType ?? ''] ?? 'open';
  const cause = last === undefined ? undefined : findCause(last);
  return {
    state,
    ...(cause === undefined ? {} : { cause }),
    waitingFor: state === 'open' ? listPending(events) : [],
    from: getTime(events[0]),
    to: getTime(last),
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

/** Activities that were scheduled and have no end; with a session, those of its dialogue. */
function listPending(events: readonly RecordedEvent[], session?: number): string[] {
  const ended = new Set(events.map(findScheduledId));
  return events.flatMap((event) => {
    const name = event.eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED' ? findSubject(event) : undefined;
    if (name === undefined || ended.has(event.eventId)) return [];
    const isOther = session !== undefined && workSchema.safeParse(getInput(event)).data?.session !== session;
    return isOther ? [] : [name];
  });
}

function getTime(event: RecordedEvent | undefined): string {
  return z.object({ eventTime: z.string() }).safeParse(event).data?.eventTime ?? '';
}

/** @param events where the activity is looked up that an event is the end of */
export function getEventName(event: RecordedEvent, events: readonly RecordedEvent[] = []): EventName {
  const of = findSubject(event) ?? findScheduled(event, events);
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
function findSubject(event: RecordedEvent): string | undefined {
  return subjectSchema.safeParse(event).data;
}

const closedSchema = z.object({ scheduledEventId: z.string() });

/** The activity that an event is the end of. */
function findScheduled(event: RecordedEvent, events: readonly RecordedEvent[]): string | undefined {
  const id = findScheduledId(event);
  const scheduled = events.find(({ eventId }) => eventId === id);
  return scheduled === undefined ? undefined : findSubject(scheduled);
}

function findScheduledId(event: RecordedEvent): string | undefined {
  const [attributes] = Object.entries(event).flatMap(([name, value]) =>
    /^activityTask(Completed|Failed|TimedOut|Canceled)EventAttributes$/.test(name) ? [value] : [],
  );
  return closedSchema.safeParse(attributes).data?.scheduledEventId;
}

/** The steps by the activities that make one call to a model. */
const STEPS: ReadonlyMap<string | undefined, SynthesisStep> = new Map([
  ['describePersonas', 'describe'],
  ['generateFactors', 'factors'],
  ['generateJourney', 'journey'],
  ['decomposePreference', 'checklist'],
  ['assistantTurn', 'assistant'],
  ['userTurn', 'user'],
]);

/** What one call to a model came to, as the result of its activity holds it. */
interface RecordedResult {
  readonly step: SynthesisStep;
  /** Counted from the first turn that the activity was to do. */
  readonly turn: number;
  readonly outcome: RecordedOutcome;
}

/** An activity that makes several calls. */
interface SeveralCalls {
  readonly firstStep: SynthesisStep;
  /** Undefined for what it never returns. */
  readonly read: (result: unknown) => readonly RecordedResult[] | undefined;
}

const SEVERAL: ReadonlyMap<string | undefined, SeveralCalls> = new Map([
  [
    'carryDialogue',
    {
      firstStep: 'assistant',
      read: (result) =>
        z
          .array(recordedTurnSchema)
          .min(1)
          .safeParse(result)
          .data?.flatMap(({ assistant, user }, turn): RecordedResult[] => [
            { step: 'assistant', turn, outcome: assistant },
            ...(user === undefined ? [] : [{ step: 'user', turn, outcome: user } as const]),
          ]),
    },
  ],
  [
    'planPersona',
    {
      firstStep: 'factors',
      read(result) {
        const plan = recordedPlanSchema.safeParse(result).data;
        if (plan === undefined) return undefined;
        const { factors, journey, checklists = [] } = plan;
        return [
          { step: 'factors', turn: 0, outcome: factors },
          ...(journey === undefined ? [] : [{ step: 'journey', turn: 0, outcome: journey } as const]),
          ...checklists.map((outcome, at) => ({ step: 'checklist', turn: at + 1, outcome }) as const),
        ];
      },
    },
  ],
]);

/** True for an activity that makes calls to models. */
export function isModelActivity(activity: string | undefined): boolean {
  return SEVERAL.has(activity) || STEPS.has(activity);
}

/** What the calls of an activity came to, in order; undefined where that is not what the activity returns. */
export function parseResults(
  activity: string | undefined,
  result: unknown,
): readonly RecordedResult[] | undefined {
  const several = SEVERAL.get(activity);
  if (several !== undefined) return several.read(result);
  const step = STEPS.get(activity);
  const outcome = recordedAnswerSchema.safeParse(result).data;
  return step === undefined || outcome === undefined ? undefined : [{ step, turn: 0, outcome }];
}

/** The calls to models, in the order in which they were scheduled. Calls whose input cannot be read are left out. */
export function readCalls(events: readonly RecordedEvent[]): RecordedCall[] {
  const ends = new Map(
    events.flatMap((event) => {
      const scheduled = findScheduledId(event);
      return scheduled === undefined ? [] : [[scheduled, event] as const];
    }),
  );
  return events.flatMap((event) => {
    const activity = findSubject(event);
    const end = ends.get(event.eventId);
    const results = end === undefined ? undefined : parseResults(activity, getResult(end));
    const several = SEVERAL.get(activity);
    const calls =
      several === undefined
        ? buildSingleCall(event, STEPS.get(activity))
        : buildSeveralCalls(event, results ?? [{ step: several.firstStep, turn: 0 }]);
    return calls.map((call, at) => {
      const outcome = results?.[at]?.outcome;
      const answer = outcome === undefined || 'unanswered' in outcome ? undefined : outcome;
      return {
        scheduled: Number(event.eventId),
        ...call,
        ...(answer === undefined ? {} : { answer: { ...answer, event: Number(end?.eventId) } }),
      };
    });
  });
}

type CallPlace = Omit<RecordedCall, 'scheduled' | 'answer'>;

/** What an activity's input says of the work that it is done for. */
const workSchema = z.object({
  run: z.string(),
  persona: z.number().int().optional(),
  session: z.number().int().optional(),
});

/** What identifies a call in the input of its activity. */
const callInputSchema = workSchema.extend({
  generation: z.number().int().nonnegative(),
  ask: z.number().int().nonnegative(),
  turns: z.array(z.unknown()).optional(),
  index: z.number().int().optional(),
  first: z.number().int().optional(),
  count: z.number().int().optional(),
});

function buildSingleCall(event: RecordedEvent, step: SynthesisStep | undefined): CallPlace[] {
  const input = callInputSchema.safeParse(getInput(event));
  if (step === undefined || !input.success) return [];
  const { generation: revision, ask, turns, index, first, count } = input.data;
  const turn = index ?? (turns === undefined ? (first ?? 0) : turns.length + 1);
  return [
    { ...buildPlace(input.data, { step, turn, revision, ask }), ...(count === undefined ? {} : { count }) },
  ];
}

/** What identifies the calls in the input of an activity that makes several. */
const severalInputSchema = workSchema.extend({
  persona: z.number().int(),
  turns: z.array(z.unknown()).optional(),
  restarts: z.array(restartSchema).default([]),
});

/** @param results those of the activity; its first call only, where they are not known */
function buildSeveralCalls(
  event: RecordedEvent,
  results: readonly Pick<RecordedResult, 'step' | 'turn'>[],
): CallPlace[] {
  const input = severalInputSchema.safeParse(getInput(event));
  if (!input.success) return [];
  const { persona, session, turns, restarts } = input.data;
  const first = turns === undefined ? 0 : turns.length + 1;
  return results.map(({ step, turn: further }) => {
    const turn = first + further;
    const revision = computeRevision(restarts, { persona, session, step, turn });
    return buildPlace(input.data, { step, turn, revision, ask: 0 });
  });
}

function buildPlace(
  { run, ...work }: z.infer<typeof workSchema>,
  call: Omit<CallKey, 'workflowId'> & Pick<RecordedCall, 'step' | 'turn'>,
): CallPlace {
  const { step, turn, ask } = call;
  const { session } = work;
  const key = buildJournalKey({ ...call, workflowId: buildWorkId(run, work) });
  return { key, ...(session === undefined ? {} : { session }), step, turn, ask };
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
export function getInput(event: RecordedEvent): unknown {
  const input =
    startedSchema.safeParse(event).data?.workflowExecutionStartedEventAttributes.input ??
    scheduledSchema.safeParse(event).data?.activityTaskScheduledEventAttributes.input;
  return parseValue(input);
}

/** What an activity returned; undefined for other events. */
export function getResult(event: RecordedEvent): unknown {
  return parseValue(completedSchema.safeParse(event).data?.activityTaskCompletedEventAttributes.result);
}

function parseValue(payloads: z.infer<typeof payloadsSchema> | undefined): unknown {
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

function findCause(event: RecordedEvent): string | undefined {
  return failedSchema.safeParse(event).data?.workflowExecutionFailedEventAttributes.failure.message;
}

/** A failure that a history names; `any` where it does not say whose. */
interface RecordedFailure {
  readonly session?: number | 'any' | undefined;
  readonly cause: string;
}

const keptFailureSchema = z.object({ work: z.array(failedWorkSchema) });

/** The failures that an event names: those that the workflow has kept, or the one that it ends with. */
export function listFailures(event: RecordedEvent): readonly RecordedFailure[] {
  const cause = findCause(event);
  if (cause !== undefined) return [{ session: 'any', cause }];
  return findSubject(event) === 'keepFailure'
    ? (keptFailureSchema.safeParse(getInput(event)).data?.work ?? [])
    : [];
}
