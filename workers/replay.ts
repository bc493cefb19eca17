import { defaultPayloadConverter, IllegalStateError } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  ReplayError,
  Runtime,
  Worker,
  type ReplayWorkerOptions,
} from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { transcriptOf } from '../rules/transcript';
import type { Bundle, RecordedEvent, RecordedHistory } from '../schemas/bundle';
import { recordedInputSchema, type RecordedInput, type Told, type Transcript } from '../schemas/transcript';
import { divergenceIn, type Divergence } from './divergence';
import { endOf, type RecordedEnd } from './recorded-events';

/** A recorded workflow, carried out again by the workflow code of today, with the recording in place of the world. */
export interface Replayed {
  readonly transcript: Transcript;
  /** How the recording ends. */
  readonly end: RecordedEnd;
  /** Where today's code takes another way than the recording; absent when it takes the same. */
  readonly divergence?: Divergence;
}

/** The workflow code that replays: a file, or the code itself. */
export type WorkflowCode = NonNullable<ReplayWorkerOptions['workflowBundle']>;

/**
 * Replays a recording; needs no engine, no model, no key and no network.
 * @throws ReplayImpossible when the recording has no history
 */
export async function replay(recording: Bundle, code: WorkflowCode): Promise<Replayed> {
  const { history, workflow, inputs, entries, lacks } = recording;
  if (history === undefined) {
    throw new ReplayImpossible(
      `${workflow.id} cannot be replayed, since its history was not recorded. ${lacks.join(' ')}`,
    );
  }
  beQuiet();
  const replayPart = (events: readonly RecordedEvent[]) => replayEvents(events, workflow.id, code);
  const whole = await replayPart(history.events);
  const transcript = transcriptOf({ inputs, entries, told: whole.told, given: givenIn(history) });
  const divergence = await divergenceIn(history.events, whole, async (events) => {
    return (await replayPart(events)).error;
  });
  return { transcript, end: endOf(history.events), ...(divergence === undefined ? {} : { divergence }) };
}

/** A recording that lacks what a replay needs. */
export class ReplayImpossible extends Error {
  override readonly name = 'ReplayImpossible';
}

/** What a replayed workflow told, and why it did not go through to the end; no error when it did. */
export interface Attempt {
  readonly told: readonly Told[];
  readonly error?: Error;
}

async function replayEvents(
  events: readonly RecordedEvent[],
  workflowId: string,
  code: WorkflowCode,
): Promise<Attempt> {
  const told: Told[] = [];
  const tell = { fn: (_: unknown, one: Told) => void told.push(one), callDuringReplay: true };
  try {
    await Worker.runReplayHistory(
      { workflowBundle: code, sinks: { transcript: { tell } } },
      historyFromJSON({ events }),
      workflowId,
    );
    return { told };
  } catch (error) {
    // Anything else is no matter of the recording.
    if (error instanceof DeterminismViolationError || error instanceof ReplayError) return { told, error };
    throw error;
  }
}

/** What the workflow was started with; undefined for one that is about nobody in particular. */
function givenIn({ events }: RecordedHistory): RecordedInput | undefined {
  const [first] = historyFromJSON({ events: events.slice(0, 1) }).events ?? [];
  const [payload] = first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (!payload) return undefined;
  return recordedInputSchema.safeParse(defaultPayloadConverter.fromPayload(payload)).data;
}

let quiet = false;

// The SDK prints every replay that fails; here that is a result, and told as one.
function beQuiet(): void {
  if (quiet) return;
  quiet = true;
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR', () => undefined),
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
      },
      shutdownSignals: [],
    });
  } catch (error) {
    // There is one a process; whoever was first has decided.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
