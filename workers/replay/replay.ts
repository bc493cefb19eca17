import { IllegalStateError } from '@temporalio/common';
import { historyFromJSON, type History } from '@temporalio/common/lib/proto-utils';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  ReplayError,
  Runtime,
  Worker,
  type ReplayWorkerOptions,
} from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { readEntries } from '../../data/run/bundles';
import { buildWorkId } from '../../engine/journal/key';
import { buildWorkReference, getWorkflow, type WorkReference } from '../../engine/journal/work';
import { buildTranscript } from './transcript';
import type { Bundle, RecordedEvent } from '../../schemas/run/bundle';
import { recordedInputSchema, type TranscriptEvent, type Transcript } from '../../schemas/run/transcript';
import { checkRecording, RecordingDamaged } from './check-recording';
import { findDivergence, type Attempt, type Divergence } from './divergence';
import { findEnd, findDialogueEnd, getInput, readCalls, type RecordedEnd } from './recorded-events';

/** Recorded work, run again with the workflow code of today, with the recording in place of the world. */
export interface ReplayResult {
  readonly work: WorkReference;
  readonly transcript: Transcript;
  /** How the recording ends. */
  readonly end: RecordedEnd;
  /** Where today's code does something else than the recording holds; absent when it does the same. */
  readonly divergence?: Divergence;
  /** Journal entries in the bundle that are damaged, by key, with what is wrong. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** The workflow code that replays: a file, or the code itself. */
export type WorkflowCode = NonNullable<ReplayWorkerOptions['workflowBundle']>;

/**
 * Replays a recording; needs no engine, no model, no key and no network.
 * @throws ReplayImpossible when the recording has no history, RecordingDamaged when it is damaged
 */
export async function replay(recording: Bundle, code: WorkflowCode): Promise<ReplayResult> {
  const { history, work, failed, inputs, lacks } = recording;
  const named = buildWorkReference(inputs.id, work);
  if (history === undefined) {
    throw new ReplayImpossible(
      `${named.id} cannot be replayed, because its bundle has no history. ${lacks.join(' ')}`,
    );
  }
  checkRecording(recording);
  silenceLogs();
  const { events } = history;
  const { session } = work;
  const calls = readCalls(events);
  if (session !== undefined && !calls.some((call) => call.session === session)) {
    throw new ReplayImpossible(
      `${named.id} cannot be replayed, because the history of its persona has no call of it. If the persona is in progress, the dialogue has not started yet: repeat the command later.`,
    );
  }
  const replayPart = (part: readonly RecordedEvent[]) => replayEvents(part, recording, code);
  const full = await replayPart(events);
  const { entries, damaged } = readEntries(recording);
  const damages = new Map(damaged.map(({ key, problem }) => [key, problem]));
  const answers = calls.flatMap(({ answer, count }) =>
    answer === undefined ? [] : [{ ...answer, ...(count === undefined ? {} : { count }) }],
  );
  const [first] = events;
  const input = first === undefined ? undefined : recordedInputSchema.safeParse(getInput(first)).data;
  const { reports } = full;
  const transcript = buildTranscript({ inputs, work, entries, damaged: damages, answers, reports, input });
  const divergence = await findDivergence(events, full, async (part) => (await replayPart(part)).error);
  return {
    work: named,
    transcript,
    end: session === undefined ? findEnd(events) : findDialogueEnd(events, session, reports, failed),
    ...(divergence === undefined ? {} : { divergence }),
    damaged: damages,
  };
}

/** A recording that lacks what a replay needs. */
class ReplayImpossible extends Error {
  override readonly name = 'ReplayImpossible';
}

async function replayEvents(
  events: readonly RecordedEvent[],
  { inputs, work }: Bundle,
  code: WorkflowCode,
): Promise<Attempt> {
  const id = buildWorkId(inputs.id, work);
  const workflowId = getWorkflow(inputs.id, work).id;
  const reports: TranscriptEvent[] = [];
  const report = { fn: (_: unknown, one: TranscriptEvent) => void reports.push(one), callDuringReplay: true };
  const history = parseHistory(events, id);
  try {
    const replaying = Worker.runReplayHistory(
      { workflowBundle: code, sinks: { transcript: { report } } },
      history,
      workflowId,
    );
    await limitTime(SHORTEST_MS + events.length * EVENT_MS, replaying, () => {
      throw new ReplayHung(
        `The recording of ${id} is damaged: its replay did not end. Copy the bundle again from the folder of its run.`,
      );
    });
    return { reports };
  } catch (error) {
    // Anything else is no matter of the recording.
    if (error instanceof DeterminismViolationError || error instanceof ReplayError) return { reports, error };
    throw error;
  }
}

/** A replay that waits without end for something that its history lacks. It cannot be stopped: the process must end. */
export class ReplayHung extends RecordingDamaged {}

/** Milliseconds for the shortest replay, and for each event: many times what they take. */
const SHORTEST_MS = 15_000;
const EVENT_MS = 20;

async function limitTime<T>(milliseconds: number, work: Promise<T>, late: () => never): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

function parseHistory(events: readonly RecordedEvent[], id: string): History {
  try {
    return historyFromJSON({ events });
  } catch (error) {
    throw new RecordingDamaged(
      `The recording of ${id} is damaged: Temporal cannot read its history (${error instanceof Error ? error.message : String(error)}). Copy the bundle again from the folder of its run.`,
      { cause: error },
    );
  }
}

let quiet = false;

// The SDK prints every replay that fails; here that is a result, and reported as one.
function silenceLogs(): void {
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
    // There is one per process, and it is installed already.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
