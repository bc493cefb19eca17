import { z } from 'zod';
import { buildPersonaWorkflowId, buildWorkId } from '../../engine/journal/key';
import { getWorkflow } from '../../engine/journal/work';
import type { Bundle, RecordedEvent } from '../../schemas/run/bundle';
import { ANSWER_VALUES, type RecordedOutcome } from '../../schemas/run/recorded-answer';
import { synthesisSettingsSchema } from '../../schemas/run/settings';
import type { SynthesisStep } from '../../schemas/run/step';
import { recordedInputSchema } from '../../schemas/run/transcript';
import {
  findEnd,
  getEventName,
  getInput,
  isModelActivity,
  parsePayload,
  getResult,
  parseResults,
} from './recorded-events';

/** A recording is not as it was made: a part of it is missing or changed. */
export class RecordingDamaged extends Error {
  override readonly name = 'RecordingDamaged';
}

/**
 * Checks that a history can be what a workflow of this program recorded, before Temporal's native replayer gets it: that one waits
 * without end for what a damaged history lacks. @throws RecordingDamaged, which names the event
 */
export function checkRecording({ work, failed, inputs, history }: Bundle): void {
  const workflow = getWorkflow(inputs.id, work);
  const fail = (problem: string): never => {
    throw new RecordingDamaged(
      `The recording of ${buildWorkId(inputs.id, work)} is damaged: ${problem}. Copy the bundle again from the folder of its run.`,
    );
  };
  if (history === undefined) return;
  const { events } = history;
  const [first] = events;
  if (first === undefined) return fail('its history is empty');
  const problem = findPlaceProblem(events) ?? findRepeated(events) ?? findValueProblem(events);
  if (problem !== undefined) fail(problem);

  if (workflowTypeSchema.safeParse(first).data !== workflow.type) {
    fail(`event 1 does not start a ${workflow.type}, as the bundle says`);
  }
  const input = INPUTS[workflow.type].safeParse(getInput(first));
  if (!input.success) fail(`event 1 does not have the input of a ${workflow.type}`);
  else if (input.data(inputs.id) !== workflow.id)
    fail(`event 1 starts another workflow, ${input.data(inputs.id)}`);
  if (inputs.settings.nSessions > MOST_SESSIONS)
    fail(`its settings name ${inputs.settings.nSessions} sessions`);
  if (!events.some(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED')) {
    fail(`the history ends at event ${events.length}, before the workflow ran for the first time`);
  }
  const { state, waitingFor } = findEnd(events);
  if (failed !== undefined && state === 'open' && !waitingFor.includes('keepFailure')) {
    fail(`the history ends at event ${events.length}, before the failure that the bundle is about`);
  }
}

/** Far more than a model can plan. */
const MOST_SESSIONS = 10_000;

const workflowTypeSchema = z
  .object({
    workflowExecutionStartedEventAttributes: z.object({ workflowType: z.object({ name: z.string() }) }),
  })
  .transform((event) => event.workflowExecutionStartedEventAttributes.workflowType.name);

const settings = synthesisSettingsSchema;

/** The inputs of the workflows, each as the id that the workflow then has in a run. */
const INPUTS = {
  run: z
    .object({ settings, batches: z.array(z.object({ first: z.number().int(), count: z.number().int() })) })
    .transform(() => (run: string) => run),
  persona: recordedInputSchema.extend({ run: z.string(), settings }).transform(
    ({ run, persona }) =>
      () =>
        buildPersonaWorkflowId(run, persona),
  ),
} as const;

/** The first event whose number, type or references to the events before it are wrong. */
function findPlaceProblem(events: readonly RecordedEvent[]): string | undefined {
  let lastTask: RecordedEvent | undefined;
  for (const [at, event] of events.entries()) {
    const problem = findEventProblem(event, at, events, lastTask);
    if (problem !== undefined) return problem;
    if (getEventName(event).type === 'WORKFLOW_TASK_COMPLETED') lastTask = event;
  }
  return undefined;
}

/** @param lastTask the workflow task that was completed last before the event */
function findEventProblem(
  event: RecordedEvent,
  at: number,
  events: readonly RecordedEvent[],
  lastTask: RecordedEvent | undefined,
): string | undefined {
  const number = at + 1;
  const problem = (text: string) => `event ${number} of the history ${text}`;
  if (event.eventId !== String(number))
    return problem(`has the number ${JSON.stringify(event.eventId)} instead of "${number}"`);
  const { type } = getEventName(event);
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (kind === undefined)
    return problem(`has the type ${JSON.stringify(type)}, which these workflows do not record`);
  if ((type === START) !== (at === 0)) {
    return problem(
      at === 0 ? `is ${type}, not the start of a workflow` : 'starts the workflow a second time',
    );
  }
  if (at < events.length - 1 && type.startsWith('WORKFLOW_EXECUTION_') && findEnd([event]).state !== 'open') {
    return problem(`ends the workflow, but the history continues`);
  }
  const attributes = findAttributes(event, type);
  if (attributes === undefined) return problem(`does not have the fields of ${type}`);
  for (const [field, of] of Object.entries(kind.refersTo ?? {})) {
    const value = attributes[field];
    const target = typeof value === 'string' && /^\d+$/.test(value) ? events[Number(value) - 1] : undefined;
    if (target === undefined || Number(value) > at || getEventName(target).type !== of) {
      return problem(`(${type}) refers to event ${JSON.stringify(value)}, which is no earlier ${of}`);
    }
  }
  if (kind.refersTo?.['workflowTaskCompletedEventId'] === undefined) return undefined;
  return lastTask?.eventId === attributes['workflowTaskCompletedEventId']
    ? undefined
    : problem(`(${type}) does not follow the workflow task that it refers to`);
}

/** Two events that start, or end, the same thing. */
function findRepeated(events: readonly RecordedEvent[]): string | undefined {
  const seen = new Map<string, number>();
  for (const [at, event] of events.entries()) {
    const { type } = getEventName(event);
    const { once } = KINDS[type] ?? {};
    if (once === undefined) continue;
    const of = `${once.phase} ${String(findAttributes(event, type)?.[once.field])}`;
    const earlier = seen.get(of);
    if (earlier !== undefined) return `event ${at + 1} of the history (${type}) repeats event ${earlier}`;
    seen.set(of, at + 1);
  }
  return undefined;
}

/** Payloads that are no JSON, and answers of models that no check of this program gives. */
function findValueProblem(events: readonly RecordedEvent[]): string | undefined {
  for (const [at, event] of events.entries()) {
    const problem = (text: string) => `event ${at + 1} of the history ${text}`;
    if (!listPayloads(event).every(isPayload)) return problem('holds a value that is not JSON');
    const { type, of } = getEventName(event, events);
    if (type !== 'ACTIVITY_TASK_COMPLETED' || !isModelActivity(of)) continue;
    const results = parseResults(of, getResult(event));
    if (results === undefined) return problem(`does not hold what ${of} returns`);
    const wrong = results.find(({ step, outcome }) => !isAnswerOf(step, outcome));
    if (wrong !== undefined) return problem(`does not hold an answer of step ${wrong.step}`);
  }
  return undefined;
}

function isAnswerOf(step: SynthesisStep, outcome: RecordedOutcome): boolean {
  return 'unanswered' in outcome || !outcome.ok || ANSWER_VALUES[step].safeParse(outcome.value).success;
}

const payloadSchema = z.object({
  metadata: z.object({ encoding: z.string() }),
  data: z.string().optional(),
});

/** A value as the workers of this program write it: JSON, or nothing. */
function isPayload(payload: unknown): boolean {
  const { success, data: read } = payloadSchema.safeParse(payload);
  if (!success) return false;
  const encoding = Buffer.from(read.metadata.encoding, 'base64').toString('utf8');
  if (encoding === 'binary/null') return true;
  return encoding === 'json/plain' && read.data !== undefined && parsePayload(read.data) !== undefined;
}

/** Everything below an event that stands in a list of payloads. */
function listPayloads(event: RecordedEvent): unknown[] {
  const found: unknown[] = [];
  // A list, not a recursion: a hostile event may be nested deeper than the stack.
  const rest: unknown[] = [event];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, below] of Object.entries(value)) {
      if (name === 'payloads' && Array.isArray(below)) found.push(...(below as unknown[]));
      else rest.push(below);
    }
  }
  return found;
}

const attributesSchema = z.record(z.string(), z.unknown());

/** The attributes that an event of this type has; undefined when it has none, or those of another type. */
function findAttributes(event: RecordedEvent, type: string): Readonly<Record<string, unknown>> | undefined {
  const name = `${type.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())}EventAttributes`;
  const others = Object.keys(event).filter((key) => key.endsWith('EventAttributes') && key !== name);
  return others.length > 0 ? undefined : attributesSchema.safeParse(event[name]).data;
}

const START = 'WORKFLOW_EXECUTION_STARTED';

/** What events of a type refer to, and what they do at most once. */
interface EventKind {
  /** By field, the type of the earlier event that it numbers. */
  readonly refersTo?: Readonly<Record<string, string>>;
  readonly once?: { readonly phase: 'start' | 'end'; readonly field: string };
}

const COMMAND: EventKind = { refersTo: { workflowTaskCompletedEventId: 'WORKFLOW_TASK_COMPLETED' } };

function buildPhase(
  name: 'start' | 'end',
  field: string,
  of: string,
  more: Record<string, string> = {},
): EventKind {
  return { refersTo: { [field]: of, ...more }, once: { phase: name, field } };
}

const startOfTask = buildPhase('start', 'scheduledEventId', 'WORKFLOW_TASK_SCHEDULED');
const endOfTask = buildPhase('end', 'scheduledEventId', 'WORKFLOW_TASK_SCHEDULED');
const endOfActivity = buildPhase('end', 'scheduledEventId', 'ACTIVITY_TASK_SCHEDULED');
const CHILD = 'START_CHILD_WORKFLOW_EXECUTION_INITIATED';
const endOfChild = buildPhase('end', 'initiatedEventId', CHILD);
const SIGNAL = 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED';
const CANCEL = 'REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED';

/** The events that runs and personas have. */
const KINDS: Readonly<Record<string, EventKind>> = {
  [START]: {},
  WORKFLOW_EXECUTION_SIGNALED: {},
  WORKFLOW_EXECUTION_CANCEL_REQUESTED: {},
  WORKFLOW_EXECUTION_TERMINATED: {},
  WORKFLOW_EXECUTION_TIMED_OUT: {},
  WORKFLOW_EXECUTION_COMPLETED: COMMAND,
  WORKFLOW_EXECUTION_FAILED: COMMAND,
  WORKFLOW_EXECUTION_CANCELED: COMMAND,
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: COMMAND,
  WORKFLOW_TASK_SCHEDULED: {},
  WORKFLOW_TASK_STARTED: startOfTask,
  WORKFLOW_TASK_COMPLETED: endOfTask,
  WORKFLOW_TASK_FAILED: endOfTask,
  WORKFLOW_TASK_TIMED_OUT: endOfTask,
  ACTIVITY_TASK_SCHEDULED: COMMAND,
  ACTIVITY_TASK_STARTED: buildPhase('start', 'scheduledEventId', 'ACTIVITY_TASK_SCHEDULED'),
  ACTIVITY_TASK_COMPLETED: endOfActivity,
  ACTIVITY_TASK_FAILED: endOfActivity,
  ACTIVITY_TASK_TIMED_OUT: endOfActivity,
  ACTIVITY_TASK_CANCELED: endOfActivity,
  ACTIVITY_TASK_CANCEL_REQUESTED: {
    refersTo: { ...COMMAND.refersTo, scheduledEventId: 'ACTIVITY_TASK_SCHEDULED' },
  },
  TIMER_STARTED: COMMAND,
  TIMER_FIRED: buildPhase('end', 'startedEventId', 'TIMER_STARTED'),
  TIMER_CANCELED: buildPhase('end', 'startedEventId', 'TIMER_STARTED', { ...COMMAND.refersTo }),
  [CHILD]: COMMAND,
  START_CHILD_WORKFLOW_EXECUTION_FAILED: endOfChild,
  CHILD_WORKFLOW_EXECUTION_STARTED: buildPhase('start', 'initiatedEventId', CHILD),
  CHILD_WORKFLOW_EXECUTION_COMPLETED: endOfChild,
  CHILD_WORKFLOW_EXECUTION_FAILED: endOfChild,
  CHILD_WORKFLOW_EXECUTION_CANCELED: endOfChild,
  CHILD_WORKFLOW_EXECUTION_TIMED_OUT: endOfChild,
  CHILD_WORKFLOW_EXECUTION_TERMINATED: endOfChild,
  [SIGNAL]: COMMAND,
  SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED: buildPhase('end', 'initiatedEventId', SIGNAL),
  EXTERNAL_WORKFLOW_EXECUTION_SIGNALED: buildPhase('end', 'initiatedEventId', SIGNAL),
  [CANCEL]: COMMAND,
  REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_FAILED: buildPhase('end', 'initiatedEventId', CANCEL),
  EXTERNAL_WORKFLOW_EXECUTION_CANCEL_REQUESTED: buildPhase('end', 'initiatedEventId', CANCEL),
};
