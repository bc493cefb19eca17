import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuiltDatasets } from '../activities/synthesis/build-datasets';
import type { AnswerRef } from '../rules/answer-ref';
import { failedWorkOf, isFailedCall, isMisconfigured } from '../rules/failed-work';
import { generationOf } from '../rules/generations';
import { personaWorkflowId } from '../rules/journal-key';
import type { PersonaOutcome } from '../schemas/outcome';
import type { Restart } from '../schemas/restart';
import type { SynthesisSettings } from '../schemas/settings';
import { ask } from './ask';
import { personaClosed, progress, setWindow } from './messages';
import { asking, inherited, keeping } from './options';
import { persona } from './persona';
import { placed, restarted } from './placed';

/** Personas described by one call: `count` of them from number `first` on. */
export interface Batch {
  readonly first: number;
  readonly count: number;
  /** Of a persona that is described once more, by itself: which time this is; absent for the first. */
  readonly generation?: number;
}

export interface RunInput {
  readonly settings: SynthesisSettings;
  readonly batches: readonly Batch[];
  /** What is done over; absent for nothing. */
  readonly restarts?: readonly Restart[];
  /** Personas open at once: while there are fewer, another batch is begun. */
  readonly window: number;
  /** What the run knew when it continued as new; absent when it begins. */
  readonly soFar?: RunState;
}

interface RunState {
  /** The batches that are still to be started. */
  readonly waiting: readonly Batch[];
  readonly open: readonly number[];
  readonly finished: readonly number[];
  readonly failed: readonly number[];
}

export interface RunResult extends BuiltDatasets {
  readonly finished: number;
  readonly failed: number;
}

/** The personas of a run by how far they are; a persona is in one of the sets at most. */
class Personas {
  readonly open: Set<number>;
  /** Those of the open ones whose workflow is not known to have started yet. */
  readonly starting = new Set<number>();
  readonly finished: Set<number>;
  readonly failed: Set<number>;
  misconfigured: string | undefined;

  constructor(soFar: Partial<RunState> = {}) {
    this.open = new Set(soFar.open);
    this.finished = new Set(soFar.finished);
    this.failed = new Set(soFar.failed);
  }

  close(outcome: PersonaOutcome): void {
    const { persona: number, state } = outcome;
    this.leave(number);
    if (state === 'misconfigured') this.misconfigured = outcome.cause;
    if (state === 'failed' && !this.finished.has(number)) this.failed.add(number);
    if (state === 'finished') {
      this.finished.add(number);
      // Its record is kept, whatever else is said of it.
      this.failed.delete(number);
    }
  }

  /** Before its workflow is started: its last word may come before we hear of its start. */
  begin(number: number): void {
    this.open.add(number);
    this.starting.add(number);
  }

  leave(number: number): void {
    this.open.delete(number);
    this.starting.delete(number);
  }

  isNew(number: number): boolean {
    return ![this.open, this.finished, this.failed].some((personas) => personas.has(number));
  }
}

/**
 * A run: describes personas in batches and keeps a window of persona workflows open until all are closed, then has the
 * data sets built. Personas are told apart by number, tell how they ended by signal, and outlive the run's
 * continuing as new; every minute those that closed without a word are counted as failed.
 * @throws ApplicationFailure `misconfigured` when the set-up is at fault; no persona is lost by that.
 */
export async function run(input: RunInput): Promise<RunResult> {
  const { settings, batches, restarts = [] } = input;
  const runId = workflowInfo().workflowId;
  const personas = new Personas(input.soFar);
  const waiting = [...(input.soFar?.waiting ?? batches)];
  const describing = new Set<Batch>();
  let window = input.window;
  let building = false;
  let broken: { readonly error: unknown } | undefined;

  setHandler(personaClosed, (outcome) => personas.close(outcome));
  setHandler(setWindow, (size) => void (window = size));
  setHandler(progress, () => ({
    personas: settings.nPersonas,
    finished: personas.finished.size,
    failed: personas.failed.size,
    open: [...personas.open],
    building,
    ...(personas.misconfigured === undefined ? {} : { misconfigured: personas.misconfigured }),
  }));

  if (input.soFar === undefined) {
    const closed = await keeping.findClosedPersonas({ run: runId });
    for (const number of closed.finished) personas.close({ persona: number, state: 'finished' });
    for (const number of closed.failed) personas.close({ persona: number, state: 'failed', cause: '' });
  }

  try {
    const start = (batch: Batch) => {
      describing.add(batch);
      void startBatch(runId, settings, restarts, batch, personas)
        .catch((error: unknown) => (broken = { error }))
        .finally(() => describing.delete(batch));
    };
    const startAgain = (number: number) => {
      const batch = batches.find((one) => numbersIn(one, restarts).includes(number));
      personas.leave(number);
      if (batch !== undefined) start(batch);
    };
    const watching = watchOpen(runId, restarts, personas, startAgain);
    const stopping = () => personas.misconfigured !== undefined || broken !== undefined || outgrown();
    const idle = () => personas.open.size + describing.size === 0;
    const hasRoom = () => personas.open.size + count(describing) < window;
    while (waiting.length > 0) {
      await condition(() => stopping() || hasRoom());
      if (stopping()) break;
      const batch = waiting.shift();
      if (batch === undefined) break;
      start(batch);
    }
    await condition(() => idle() || broken !== undefined || outgrown());
    if (broken !== undefined) throw broken.error;
    const over = idle() && waiting.length === 0;
    if (!over && personas.misconfigured === undefined) {
      // What is being described, or started, is described again by the next run, from the journal.
      const soFar = {
        waiting: [...describing, ...waiting],
        open: [...personas.open].filter((number) => !personas.starting.has(number)),
        finished: [...personas.finished],
        failed: [...personas.failed],
      };
      await continueAsNew<typeof run>({ ...input, window, soFar });
    }
    await condition(idle);
    watching.cancel();
  } catch (error) {
    if (isCancellation(error)) await cancelOpen(runId, personas.open);
    throw error;
  }
  if (personas.misconfigured !== undefined) {
    throw ApplicationFailure.nonRetryable(personas.misconfigured, 'misconfigured');
  }
  building = true;
  const built = await keeping.buildDatasets({ run: runId });
  return { ...built, finished: personas.finished.size, failed: personas.failed.size };
}

// A long run outgrows its history wherever it stands, also while it waits for a model that is down.
function outgrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

function count(batches: Iterable<Batch>): number {
  return [...batches].reduce((sum, batch) => sum + batch.count, 0);
}

/** The personas that go by this batch's description: those it asks for, without the ones described by themselves since. */
function numbersIn({ first, count: size, generation = 0 }: Batch, restarts: readonly Restart[]): number[] {
  return Array.from({ length: size }, (_, index) => first + index).filter(
    (number) => generationOf(restarts, { persona: number, step: 'describe', turn: number }) === generation,
  );
}

/**
 * Describes a batch and starts the persona workflows of those of it that are new; a failed batch fails its personas by
 * name.
 */
async function startBatch(
  runId: string,
  settings: SynthesisSettings,
  restarts: readonly Restart[],
  batch: Batch,
  personas: Personas,
): Promise<void> {
  const numbers = numbersIn(batch, restarts);
  if (!numbers.some((number) => personas.isNew(number))) return;
  let ref: AnswerRef;
  try {
    const { first, count: size } = batch;
    // A batch is asked for as it always was, whoever of it is described by itself since.
    const of = batch.generation === undefined ? [] : restarts;
    const batched = placed(settings, of, { step: 'describe', turn: first, persona: first });
    const described = await ask(batched.asker, settings.steps.describe, (number) =>
      asking(runId).describePersonas({ run: runId, first, count: size, ...batched.place, ask: number }),
    );
    ref = described.ref;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ApplicationFailure)) throw error;
    const call: unknown = error.details?.[0];
    if (!isFailedCall(call)) throw error;
    for (const number of numbers.filter((one) => personas.isNew(one))) {
      personas.close(
        isMisconfigured(call)
          ? { persona: number, state: 'misconfigured', cause: call.cause }
          : await keeping.keepFailure({
              run: runId,
              persona: number,
              work: [{ ...failedWorkOf(call, number), ...restarted(restarts, number) }],
            }),
      );
    }
    return;
  }
  // Some may have closed while the batch was described: left at work by an earlier run workflow of this id.
  for (const number of numbers.filter((one) => personas.isNew(one))) {
    personas.begin(number);
    const own = restarts.filter((restart) => restart.persona === number);
    const described = { first: batch.first, count: batch.count, ref };
    try {
      await startChild(persona, {
        ...inherited(),
        workflowId: personaWorkflowId(runId, number),
        args: [
          {
            run: runId,
            settings,
            persona: number,
            described,
            ...(own.length === 0 ? {} : { restarts: own }),
          },
        ],
        // It must outlive this run's continuing as new; cancelling is passed on by name.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
    } catch (error) {
      // Still at work for that earlier one: it will tell this one how it ends.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
        personas.leave(number);
        throw error;
      }
    }
    personas.starting.delete(number);
  }
}

/**
 * Every minute looks for open personas that are not running. Those that were terminated, say, count as failed; those that
 * ended by themselves, but could not tell, are started again: the journal has what they did.
 */
function watchOpen(
  runId: string,
  restarts: readonly Restart[],
  personas: Personas,
  startAgain: (number: number) => void,
): CancellationScope {
  const scope = new CancellationScope();
  void scope
    .run(async () => {
      for (;;) {
        await sleep('1 minute');
        try {
          await closeSilent(runId, restarts, personas, startAgain);
        } catch (error) {
          // What cannot be looked up now is looked up in a minute.
          if (isCancellation(error)) throw error;
        }
      }
    })
    .catch(() => undefined);
  return scope;
}

async function closeSilent(
  runId: string,
  restarts: readonly Restart[],
  personas: Personas,
  startAgain: (number: number) => void,
): Promise<void> {
  const started = [...personas.open].filter((number) => !personas.starting.has(number));
  const byId = new Map(started.map((number) => [personaWorkflowId(runId, number), number]));
  if (byId.size === 0) return;
  for (const { workflowId, status } of await keeping.findClosedWorkflows({ workflowIds: [...byId.keys()] })) {
    const number = byId.get(workflowId);
    // Its last word may have come while we asked.
    if (number === undefined || !personas.open.has(number)) continue;
    if (['cancelled', 'failed', 'completed'].includes(status)) {
      startAgain(number);
      continue;
    }
    const cause = `Workflow ${workflowId} closed without reporting an outcome (${status}).`;
    const work = {
      workflowId,
      persona: number,
      kind: 'unexpected',
      cause,
      reasons: [],
      ...restarted(restarts, number),
    };
    personas.close(await keeping.keepFailure({ run: runId, persona: number, work: [work] }));
  }
}

async function cancelOpen(runId: string, open: ReadonlySet<number>): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    const cancelled = [...open].map((number) =>
      getExternalWorkflowHandle(personaWorkflowId(runId, number)).cancel(),
    );
    // One that closed meanwhile cannot be cancelled, and need not be.
    await Promise.allSettled(cancelled);
  });
}
