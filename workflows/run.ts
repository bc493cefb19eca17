import {
  allHandlersFinished,
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
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { BuiltDatasets } from '../activities/build-datasets';
import type { AnswerRef } from '../rules/answer-ref';
import { isMisconfigured } from '../rules/failed-work';
import { personaWorkflowId } from '../rules/journal-key';
import { failedWorkSchema, type PersonaOutcome } from '../schemas/outcome';
import type { SynthesisSettings } from '../schemas/settings';
import { ask } from './ask';
import { personaClosed, progress, setWindow } from './messages';
import { asking, keeping } from './options';
import { persona } from './persona';

/** Personas described by one call: `count` of them from number `first` on. */
export interface Batch {
  readonly first: number;
  readonly count: number;
}

export interface RunInput {
  readonly settings: SynthesisSettings;
  readonly batches: readonly Batch[];
  /** Most personas open at once. */
  readonly window: number;
  /** What the run knew when it continued as new; absent when it begins. */
  readonly soFar?: RunState;
}

interface RunState {
  readonly nextBatch: number;
  readonly open: readonly number[];
  readonly finished: readonly number[];
  readonly failed: readonly number[];
}

export interface RunResult extends BuiltDatasets {
  readonly finished: number;
  readonly failed: number;
}

/**
 * A run: describes personas in batches and keeps a window of persona workflows open until all are closed, then has the
 * data sets built. Personas are told apart by number, tell how they ended by signal, and outlive the run's
 * continuing as new; every minute those that closed without a word are counted as failed.
 * @throws ApplicationFailure `misconfigured` when a key or a model name is refused; no persona is lost by that.
 */
export async function run(input: RunInput): Promise<RunResult> {
  const { settings, batches } = input;
  const runId = workflowInfo().workflowId;
  let window = input.window;
  let building = false;
  let misconfigured: string | undefined;
  let describing = 0;
  let nextBatch = input.soFar?.nextBatch ?? 0;
  const open = new Set<number>(input.soFar?.open);
  const finished = new Set<number>(input.soFar?.finished);
  const failed = new Set<number>(input.soFar?.failed);

  const close = (outcome: PersonaOutcome) => {
    open.delete(outcome.persona);
    if (outcome.state === 'finished') finished.add(outcome.persona);
    if (outcome.state === 'failed') failed.add(outcome.persona);
    if (outcome.state === 'misconfigured') misconfigured = outcome.cause;
  };
  setHandler(personaClosed, close);
  setHandler(setWindow, (size) => void (window = size));
  setHandler(progress, () => ({
    personas: batches.reduce((sum, batch) => sum + batch.count, 0),
    finished: finished.size,
    failed: failed.size,
    open: [...open],
    building,
  }));

  if (input.soFar === undefined) {
    const closed = await keeping.findClosedPersonas({ run: runId });
    for (const number of closed.finished) finished.add(number);
    for (const number of closed.failed) failed.add(number);
  }

  try {
    const watching = watchOpen(runId, open, close);
    const flows: Promise<void>[] = [];
    const busy = () => open.size + describing;
    const idle = () => busy() === 0;
    for (; nextBatch < batches.length; nextBatch += 1) {
      const batch = batches[nextBatch];
      if (batch === undefined) break;
      const numbers = Array.from({ length: batch.count }, (_, index) => batch.first + index).filter(
        (number) => !finished.has(number) && !failed.has(number),
      );
      if (numbers.length === 0) continue;
      await condition(() => misconfigured !== undefined || idle() || busy() + numbers.length <= window);
      if (misconfigured !== undefined || workflowInfo().continueAsNewSuggested) break;
      describing += numbers.length;
      const flow = startBatch(runId, settings, batch, numbers, open, close).finally(() => {
        describing -= numbers.length;
      });
      // Waited for below; until then a rejection is not an unhandled one.
      flow.catch(() => undefined);
      flows.push(flow);
    }
    await Promise.all(flows);
    // What is left of a long run also outgrows a history: it is carried on wherever it stands.
    await condition(() => idle() || workflowInfo().continueAsNewSuggested);
    if (misconfigured === undefined && workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      const soFar = { nextBatch, open: [...open], finished: [...finished], failed: [...failed] };
      await continueAsNew<typeof run>({ ...input, window, soFar });
    }
    await condition(idle);
    watching.cancel();
  } catch (error) {
    if (isCancellation(error)) await cancelOpen(runId, open);
    throw error;
  }
  if (misconfigured !== undefined) throw ApplicationFailure.nonRetryable(misconfigured, 'misconfigured');
  building = true;
  const built = await keeping.buildDatasets({ run: runId });
  return { ...built, finished: finished.size, failed: failed.size };
}

/** Describes a batch and starts the persona workflows of those numbers; a failed batch fails its personas by name. */
async function startBatch(
  runId: string,
  settings: SynthesisSettings,
  batch: Batch,
  numbers: readonly number[],
  open: Set<number>,
  close: (outcome: PersonaOutcome) => void,
): Promise<void> {
  let ref: AnswerRef;
  try {
    const described = await ask(
      { step: 'describe', turn: batch.first, generation: 0, persona: batch.first },
      settings.steps.describe,
      (number) =>
        asking(settings.models.synthesis).describePersonas({
          run: runId,
          ...batch,
          generation: 0,
          ask: number,
        }),
    );
    ref = described.ref;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ApplicationFailure)) throw error;
    const work = failedWorkSchema.parse(error.details?.[0]);
    for (const number of numbers) {
      if (isMisconfigured(work)) {
        close({ persona: number, state: 'misconfigured', cause: work.cause });
        continue;
      }
      await keeping.keepFailure({ run: runId, persona: number, work: [{ ...work, persona: number }] });
      close({ persona: number, state: 'failed', cause: work.cause });
    }
    return;
  }
  for (const number of numbers) {
    open.add(number);
    try {
      await startChild(persona, {
        workflowId: personaWorkflowId(runId, number),
        args: [{ run: runId, settings, persona: number, described: { ...batch, ref } }],
        // It must outlive this run's continuing as new; cancelling is passed on by name.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
    } catch (error) {
      // Left at work by an earlier run workflow of this id: it will tell this one how it ends.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}

/** Every minute looks for open personas that are not running: terminated by hand, say. They count as failed. */
function watchOpen(
  runId: string,
  open: Set<number>,
  close: (outcome: PersonaOutcome) => void,
): CancellationScope {
  const scope = new CancellationScope();
  void scope
    .run(async () => {
      for (;;) {
        await sleep('1 minute');
        const byId = new Map([...open].map((number) => [personaWorkflowId(runId, number), number]));
        if (byId.size === 0) continue;
        for (const { workflowId, status } of await keeping.findClosedWorkflows({
          workflowIds: [...byId.keys()],
        })) {
          const number = byId.get(workflowId);
          // Its last word may have come while we asked.
          if (number === undefined || !open.has(number)) continue;
          const cause = `Workflow ${workflowId} closed without a word (${status}).`;
          const work = { workflowId, persona: number, kind: 'unexpected', cause, reasons: [] };
          await keeping.keepFailure({ run: runId, persona: number, work: [work] });
          close({ persona: number, state: 'failed', cause });
        }
      }
    })
    .catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  return scope;
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
