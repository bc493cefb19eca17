import { z } from 'zod';
import type { RecordedEvent } from '../schemas/bundle';
import type { Told } from '../schemas/transcript';
import { answerKeyIn, causeIn, eventName, type EventName } from './recorded-events';

/** Where today's code takes another way than a recording. */
export interface Divergence {
  /** The recorded event at which it is seen. */
  readonly event: EventName;
  readonly why: string;
}

/**
 * Where a replay left the recording; undefined when it did not.
 * @param whole what came of replaying all events
 * @param replay replays the first of them only, and returns why that fails
 */
export async function divergenceIn(
  events: readonly RecordedEvent[],
  whole: { readonly told: readonly Told[]; readonly error?: Error },
  replay: (events: readonly RecordedEvent[]) => Promise<Error | undefined>,
): Promise<Divergence | undefined> {
  const swapped = swappedAnswer(events, whole.told);
  if (swapped !== undefined) return swapped;
  if (whole.error === undefined) return otherFailure(events, whole.told);
  const event = await firstFailing(events, replay);
  if (event === undefined) throw whole.error;
  return { event: eventName(event), why: reasonIn(whole.error) };
}

/** An answer that came under the key of another call: a replay compares neither what activities are given nor what they say. */
function swappedAnswer(events: readonly RecordedEvent[], told: readonly Told[]): Divergence | undefined {
  const answered = told.filter((one) => one.event === 'answered');
  const at = answered.findIndex(({ key, under }) => key !== under);
  const answer = answered[at];
  if (answer === undefined) return undefined;
  // Workflows learn answers in the order in which they are recorded.
  const event = events.filter((one) => answerKeyIn(one) !== undefined)[at];
  if (event === undefined) return undefined;
  return {
    event: eventName(event, events),
    why: `The workflow asked for ${answer.key}, but what is recorded is the answer of ${answer.under}: the two calls were swapped.`,
  };
}

/** Both fail, but not of the same: a replay does not compare what a workflow ends with. */
function otherFailure(events: readonly RecordedEvent[], told: readonly Told[]): Divergence | undefined {
  const event = events.at(-1);
  const recorded = event === undefined ? undefined : causeIn(event);
  const causes = told.flatMap((one) => (one.event === 'failed' ? [one.cause] : []));
  const [today] = causes;
  if (event === undefined || recorded === undefined || today === undefined || causes.includes(recorded)) {
    return undefined;
  }
  return {
    event: eventName(event),
    why: `The recorded workflow failed of "${recorded}"; with today's code it fails of "${today}".`,
  };
}

/**
 * The first event that today's code does not get past. The SDK tells only that there is one; but a history may end anywhere, so
 * the shortest beginning of it that fails ends with that event.
 */
async function firstFailing(
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

/** What core says, out of what the SDK makes of it. */
function reasonIn({ message }: Error): string {
  const [, quoted] = /message: "((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  if (quoted === undefined) return message;
  // Printed by Rust, whose escapes are JSON's but for the apostrophe.
  const told = parsed(`"${quoted.replaceAll(String.raw`\'`, "'")}"`) ?? quoted;
  return told.replace(/^\[TMPRL1100\] Nondeterminism error: /, '');
}

function parsed(json: string): string | undefined {
  try {
    return z.string().parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
