import { z } from 'zod';
import type { RecordedEvent } from '../../schemas/run/bundle';
import type { TranscriptEvent } from '../../schemas/run/transcript';
import { getEventName, listFailures, readCalls, type EventName, type RecordedCall } from './recorded-events';

/** Where today's code does something else than a recording holds. */
export interface Divergence {
  /** The recorded event at which it is seen. */
  readonly event: EventName;
  /** The call to a model that the recording has there, where it is one. */
  readonly call?: Pick<RecordedCall, 'session' | 'step' | 'turn' | 'ask'>;
  /** What the recorded workflow did, after "the recording": `asks for step user, turn 2, answer 1`. */
  readonly recorded: string;
  /** What the workflow does with today's code, after "this version": `completes`. */
  readonly replayed: string;
  /** Temporal's own words, where it noticed. */
  readonly reason?: string;
}

/** What a replayed workflow reported, and why it did not go through to the end; no error when it did. */
export interface Attempt {
  readonly reports: readonly TranscriptEvent[];
  readonly error?: Error;
}

/**
 * Where a replay left the recording; undefined when it did not.
 * @param whole what came of replaying all events
 * @param replay replays the first of them only, and returns why that fails
 */
export async function findDivergence(
  events: readonly RecordedEvent[],
  full: Attempt,
  replay: (events: readonly RecordedEvent[]) => Promise<Error | undefined>,
): Promise<Divergence | undefined> {
  const calls = readCalls(events);
  const swapped = findSwappedAnswer(events, calls, full.reports);
  if (swapped !== undefined) return swapped;
  if (full.error === undefined) {
    return findUnusedAnswer(events, calls, full.reports) ?? findOtherFailure(events, full.reports);
  }
  const event = await findFirstFailing(events, replay);
  if (event === undefined) throw full.error;
  const call = calls.find(({ scheduled }) => scheduled === Number(event.eventId));
  const { reason, isThrown } = parseReason(full.error);
  const recorded = call === undefined ? formatRecorded(event) : `asks for ${callText(call)}`;
  const replayed = isThrown ? `stops with the error "${reason}"` : formatReplayed(full.reports, calls, call);
  return {
    event: getEventName(event),
    ...(call === undefined ? {} : { call }),
    recorded,
    replayed: replayed === recorded ? `does so in another way (${reason})` : replayed,
    reason,
  };
}

/** A call as its user knows it: with its session, as the first difference may be in another dialogue than the one that is looked at. */
function callText({
  session,
  step,
  turn,
  ask,
}: Pick<TranscriptEvent & { readonly event: 'asked' }, 'session' | 'step' | 'turn' | 'ask'>): string {
  const dialogue = session === undefined ? '' : `session ${session}, `;
  const place =
    step === 'checklist' ? ` ${turn}` : step === 'assistant' || step === 'user' ? `, turn ${turn}` : '';
  return `${dialogue}step ${step}${place}, answer ${ask + 1}`;
}

/** What an event says of the workflow, where it is no call to a model. */
function formatRecorded(event: RecordedEvent): string {
  const { type, of } = getEventName(event);
  const text = TEXTS[type] ?? 'continues';
  return of === undefined ? text : `${text} ${of}`;
}

const TEXTS: Readonly<Record<string, string>> = {
  ACTIVITY_TASK_SCHEDULED: 'runs',
  START_CHILD_WORKFLOW_EXECUTION_INITIATED: 'starts the workflow',
  SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED: 'reports its outcome to its run',
  REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED: 'cancels another workflow',
  TIMER_STARTED: 'starts a timer',
  TIMER_CANCELED: 'cancels a timer',
  WORKFLOW_EXECUTION_COMPLETED: 'completes',
  WORKFLOW_EXECUTION_FAILED: 'fails',
  WORKFLOW_EXECUTION_CANCELED: 'ends as cancelled',
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 'continues as new',
};

/**
 * What today's code does where the recording has something else: a call that it asks for and that was not recorded, in the same
 * dialogue if there is one.
 * @param call the call that is recorded there, if it is one
 */
function formatReplayed(
  reports: readonly TranscriptEvent[],
  calls: readonly RecordedCall[],
  call: RecordedCall | undefined,
): string {
  const recorded = new Set(calls.map(({ key }) => key));
  const asked = reports.filter((one) => one.event === 'asked').filter(({ key }) => !recorded.has(key));
  const first = asked.find(({ session }) => session === call?.session) ?? asked[0];
  if (first !== undefined) return `asks for ${callText(first)}`;
  const same = reports.some((one) => one.event === 'asked' && one.key === call?.key);
  if (call !== undefined && same) return `asks for ${callText(call)}`;
  const failed = reports.find(
    (one) => one.event === 'failed' && (call === undefined || one.session === call.session),
  );
  if (failed?.event === 'failed') return `fails at step ${failed.step} (${failed.kind}): ${failed.cause}`;
  return 'does not';
}

/** An answer that came under the key of another call: a replay compares neither what activities are given nor what they say. */
function findSwappedAnswer(
  events: readonly RecordedEvent[],
  calls: readonly RecordedCall[],
  reports: readonly TranscriptEvent[],
): Divergence | undefined {
  const answer = reports.find((one) => one.event === 'answered' && one.key !== one.under);
  if (answer?.event !== 'answered') return undefined;
  const call = calls.find(({ key }) => key === answer.key);
  const event = events[(call?.answer?.event ?? 0) - 1];
  if (call === undefined || event === undefined) return undefined;
  return {
    event: getEventName(event, events),
    call,
    recorded: `holds the answer of another call, ${answer.under}`,
    replayed: `asks for ${callText(call)} (${answer.key})`,
  };
}

/**
 * An answer that the recorded workflow used and today's code does not: an activity returns the answers of several turns, so
 * no event is missing when the code uses fewer of them.
 */
function findUnusedAnswer(
  events: readonly RecordedEvent[],
  calls: readonly RecordedCall[],
  reports: readonly TranscriptEvent[],
): Divergence | undefined {
  const asked = new Set(reports.flatMap((one) => (one.event === 'asked' ? [one.key] : [])));
  // What came after the workflow ran last, it has not seen.
  const ran = events.findLastIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED');
  const call = calls.find(
    ({ answer }) => answer !== undefined && answer.event <= ran && !asked.has(answer.key),
  );
  const event = events[(call?.answer?.event ?? 0) - 1];
  if (call === undefined || event === undefined) return undefined;
  return {
    event: getEventName(event, events),
    call,
    recorded: `asks for ${callText(call)}`,
    replayed: formatReplayed(reports, calls, call),
  };
}

/** Both fail, but for different reasons: a replay compares neither what a workflow ends with nor what it has kept of failures. */
function findOtherFailure(
  events: readonly RecordedEvent[],
  reports: readonly TranscriptEvent[],
): Divergence | undefined {
  for (const event of events) {
    for (const { session, cause } of listFailures(event)) {
      const causes = reports.flatMap((one) =>
        one.event === 'failed' && (session === 'any' || one.session === session) ? [one.cause] : [],
      );
      const [today] = causes;
      if (today === undefined || causes.includes(cause)) continue;
      const dialogue = typeof session === 'number' ? ` in session ${session}` : '';
      const fails = `fails${dialogue}: `;
      return { event: getEventName(event), recorded: fails + cause, replayed: fails + today };
    }
  }
  return undefined;
}

/**
 * The first event that today's code does not get past. The SDK reports only that there is one; but a history may end anywhere, so
 * the shortest beginning of it that fails ends with that event.
 */
async function findFirstFailing(
  events: readonly RecordedEvent[],
  replay: (events: readonly RecordedEvent[]) => Promise<Error | undefined>,
): Promise<RecordedEvent | undefined> {
  // A history needs its first workflow task to be replayed at all.
  let low = Math.max(
    1,
    events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED') + 1,
  );
  let high = events.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await replay(events.slice(0, middle))) === undefined) low = middle + 1;
    else high = middle;
  }
  return events[high - 1];
}

/** What core says, out of what the SDK makes of it; thrown by the workflow's own code unless it is about determinism. */
function parseReason({ message }: Error): { readonly reason: string; readonly isThrown: boolean } {
  const [, quoted] = /message: "((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  // Printed by Rust, whose escapes are JSON's but for the apostrophe.
  const unescaped =
    quoted === undefined ? message : (parseJson(`"${quoted.replaceAll(String.raw`\'`, "'")}"`) ?? quoted);
  return {
    reason: unescaped.replace(NONDETERMINISM, ''),
    isThrown: !/nondeterminism/i.test(message),
  };
}

const NONDETERMINISM = /^\[TMPRL1100\] Nondeterminism error: /;

function parseJson(json: string): string | undefined {
  try {
    return z.string().parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
