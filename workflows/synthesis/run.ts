import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuiltDatasets } from '../../activities/synthesis/records/build-datasets';
import { getRevision, listDescribedBy, type DescriptionBatch } from '../../engine/journal/revisions';
import { buildPersonaWorkflowId } from '../../engine/journal/key';
import { describePersonas } from '../../rules/method/persona';
import { CallsFailed } from '../../rules/method/script';
import type { SynthesisScriptPlan } from '../../rules/method/synthesis-calls';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { buildFailedPlaces, carryOut, createMisconfiguredFailure, findMisconfiguration } from '../carry-out';
import { moveTo, personaClosed, personaEasing, progress, setWindow, workersGone } from '../messages';
import { continueOn, proxyModelActivities, inheritMemo, storeActivities } from '../options';
import { persona } from './persona';
import { PersonaWindow, type DescribedPersona, type WindowState } from './persona-window';

export interface RunInput {
  readonly settings: SynthesisSettings;
  readonly batches: readonly DescriptionBatch[];
  /** The restarts; absent for none. */
  readonly restarts?: readonly Restart[];
  /** Maximum number of dialogues of open personas, simulated or planned; a persona counts half when half of its own have ended. */
  readonly window: number;
  /** Milliseconds between checks whether open personas have closed; a minute by default, shorter in tests. */
  readonly checkIntervalMs?: number;
  /** State when the run continued as new; absent at the beginning. */
  readonly state?: WindowState;
}

export interface RunResult extends BuiltDatasets {
  readonly finished: number;
  readonly failed: number;
}

/**
 * Carries out a run: describes personas in batches, one batch ahead of the window, and keeps a window of persona workflows open. When all are
 * closed, it has the data sets built. Personas are identified by number, signal how they ended, and outlive the run's continuing as new. Every
 * `checkIntervalMs`, those that closed without a signal are counted as failed or started again.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid; no persona is lost by that.
 */
export async function run(input: RunInput): Promise<RunResult> {
  const { settings, batches, restarts = [], checkIntervalMs = 60_000, state } = input;
  const runId = workflowInfo().workflowId;
  const window = new PersonaWindow({ settings, batches, restarts, size: input.window }, state);
  const work = new PersonaWork({ run: runId, settings, restarts }, window);
  let building = false;
  let movesTo: string | undefined;

  setHandler(personaClosed, (outcome) => window.close(outcome));
  setHandler(personaEasing, (number) => window.ease(number));
  setHandler(setWindow, (size) => void (window.size = size));
  setHandler(moveTo, (queue) => void (movesTo = queue));
  setHandler(workersGone, () => work.checkNow());
  setHandler(progress, () => ({
    personas: settings.nPersonas,
    finished: window.finished,
    failed: window.failed,
    open: [...window.open],
    building,
    ...(window.misconfigured === undefined ? {} : { misconfiguration: window.misconfigured }),
  }));

  if (state === undefined) {
    const closed = await storeActivities.findClosedPersonas({ run: runId });
    for (const number of closed.finished) window.close({ persona: number, state: 'finished' });
    for (const number of closed.failed) window.close({ persona: number, state: 'failed' });
  }

  const canMove = () => movesTo !== undefined && window.isAtRest;
  const isStopping = () =>
    window.misconfigured !== undefined || work.hasFailed || movesTo !== undefined || isOutgrown();
  try {
    const watching = work.watch(checkIntervalMs);
    for (;;) {
      await condition(() => isStopping() || window.isOver || window.canStart || window.canDescribe);
      if (isStopping() || window.isOver) break;
      if (window.canStart) work.startNext();
      else work.describeNext();
    }
    await condition(() => window.isIdle || work.hasFailed || canMove() || isOutgrown());
    work.throwFailure();
    if (!window.isOver && window.misconfigured === undefined) {
      if (!canMove()) await continueAsNew<typeof run>({ ...input, window: window.size, state: window.state });
      // The other version reads the store, so it need not understand this one's state.
      const { state: _, ...begun } = input;
      await continueOn<typeof run>(movesTo, { ...begun, window: window.size });
    }
    await condition(() => window.isIdle);
    watching.cancel();
  } catch (error) {
    if (isCancellation(error)) await cancelOpen(runId, window.open);
    throw error;
  }
  if (window.misconfigured !== undefined) throw createMisconfiguredFailure(window.misconfigured);
  building = true;
  const built = await storeActivities.buildDatasets({ run: runId });
  return { ...built, finished: window.finished, failed: window.failed };
}

// A long run outgrows its history at any point, even while it waits for an unavailable model.
function isOutgrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** The run, as far as the calls of its personas depend on it. */
type PersonaPlan = SynthesisScriptPlan & { readonly restarts: readonly Restart[] };

/** Does what the window decides, and keeps the first error for the run. */
class PersonaWork {
  #failure: { readonly error: unknown } | undefined;
  #isCheckDue = false;

  constructor(
    private readonly plan: PersonaPlan,
    private readonly window: PersonaWindow,
  ) {}

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  startNext(): void {
    const described = this.window.takeReady();
    if (described !== undefined) void startPersona(this.plan, described, this.window).catch(this.#fail);
  }

  describeNext(): void {
    const batch = this.window.takeWaiting();
    if (batch !== undefined) this.#describe(batch);
  }

  #describe(batch: DescriptionBatch): void {
    this.window.beginDescribing(batch);
    void describeBatch(this.plan, batch, this.window)
      .catch((error: unknown) => {
        this.#fail(error);
        return [];
      })
      .then((described) => this.window.endDescribing(batch, described));
  }

  readonly #fail = (error: unknown): void => {
    this.#failure = { error };
  };

  /** Looks at once whether open personas have closed. */
  checkNow(): void {
    this.#isCheckDue = true;
  }

  /**
   * Checks periodically for open personas that are not running. Terminated ones, for example, count as failed. Those that ended without being able
   * to signal, and those whose workers have gone, are started again; the journal has their answers.
   */
  watch(checkIntervalMs: number): CancellationScope {
    const scope = new CancellationScope();
    void scope
      .run(async () => {
        for (;;) {
          await condition(() => this.#isCheckDue, checkIntervalMs);
          this.#isCheckDue = false;
          try {
            await closeSilent(this.plan, this.window, (number) => this.#describeAgain(number));
          } catch (error) {
            // Failed look-ups are repeated at the next check.
            if (isCancellation(error)) throw error;
          }
        }
      })
      .catch(() => undefined);
    return scope;
  }

  #describeAgain(number: number): void {
    this.window.leave(number);
    for (const batch of this.window.listBatchesOf(number)) this.#describe(batch);
  }
}

/** Describes a batch; returns its new personas. If a batch fails, its personas fail. */
async function describeBatch(
  plan: PersonaPlan,
  batch: DescriptionBatch,
  window: PersonaWindow,
): Promise<DescribedPersona[]> {
  const { run: runId, restarts } = plan;
  const numbers = listDescribedBy(batch, restarts);
  if (!numbers.some((number) => window.isNew(number))) return [];
  const script = { script: 'describe', ...batch } as const;
  const place = { run: runId, script, restarts };
  try {
    const described = await carryOut(describePersonas(plan, batch), (_, outcomes) =>
      proxyModelActivities().makeCalls({ ...place, known: outcomes }),
    );
    return numbers.map((number) => ({ number, described }));
  } catch (error) {
    if (!(error instanceof CallsFailed)) throw error;
    const misconfigured = findMisconfiguration(error.failures);
    for (const number of numbers.filter((candidate) => window.isNew(candidate))) {
      const revision = getRevision(restarts, number);
      const work = buildFailedPlaces(error.failures, number).map((failedPlace) => ({
        ...failedPlace,
        ...revision,
      }));
      window.close(
        misconfigured === undefined
          ? await storeActivities.keepFailure({ ...place, persona: number, work })
          : { persona: number, state: 'misconfigured', cause: misconfigured },
      );
    }
    return [];
  }
}

/**
 * Starts the workflow of a persona, if it is new. Some may have closed already, because an earlier run workflow with this id had left them open.
 */
async function startPersona(
  { run: runId, settings, restarts }: PersonaPlan,
  { number, described }: DescribedPersona,
  window: PersonaWindow,
): Promise<void> {
  if (!window.isNew(number)) return;
  window.beginStarting(number);
  const personaRestarts = restarts.filter((restart) => restart.persona === number);
  try {
    await startChild(persona, {
      ...inheritMemo(),
      workflowId: buildPersonaWorkflowId(runId, number),
      args: [
        {
          run: runId,
          settings,
          persona: number,
          described,
          ...(personaRestarts.length === 0 ? {} : { restarts: personaRestarts }),
        },
      ],
      // The persona must outlive this run's continuing as new; the run cancels it by name.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    // It still runs for an earlier workflow; it will signal its end to this one.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
      window.leave(number);
      throw error;
    }
  }
  window.endStarting(number);
}

async function closeSilent(
  { run: runId, restarts }: PersonaPlan,
  window: PersonaWindow,
  startAgain: (number: number) => void,
): Promise<void> {
  const byId = new Map(window.started.map((number) => [buildPersonaWorkflowId(runId, number), number]));
  if (byId.size === 0) return;
  for (const { workflowId, status } of await storeActivities.findClosedWorkflows({
    run: runId,
    workflowIds: [...byId.keys()],
  })) {
    const number = byId.get(workflowId);
    // Its last signal may have arrived during the look-up.
    if (number === undefined || !window.isOpen(number)) continue;
    if (['cancelled', 'failed', 'completed', 'left'].includes(status)) {
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
      ...getRevision(restarts, number),
    };
    window.close(await storeActivities.keepFailure({ run: runId, persona: number, work: [work] }));
  }
}

async function cancelOpen(runId: string, open: readonly number[]): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    const cancelled = open.map((number) =>
      getExternalWorkflowHandle(buildPersonaWorkflowId(runId, number)).cancel(),
    );
    // A persona that has closed cannot be cancelled, and need not be.
    await Promise.allSettled(cancelled);
  });
}
