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
import type { DescriptionRef, SynthesisPlan } from '../../rules/method/synthesis-calls';
import type { FailedCall, PersonaOutcome } from '../../schemas/run/outcome';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { buildFailedPlaces, carryOut, createMisconfiguredFailure, findMisconfiguration } from '../carry-out';
import { moveTo, personaClosed, personaEasing, progress, setWindow, workersGone } from '../messages';
import { continueOn, proxyModelActivities, inheritMemo, storeActivities } from '../options';
import { persona } from './persona';

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
  readonly soFar?: RunState;
}

interface RunState {
  /** Batches that are not started yet. */
  readonly waiting: readonly DescriptionBatch[];
  readonly open: readonly number[];
  /** Open personas whose dialogues have half ended. */
  readonly easing: readonly number[];
  readonly finished: readonly number[];
  readonly failed: readonly number[];
}

export interface RunResult extends BuiltDatasets {
  readonly finished: number;
  readonly failed: number;
}

/** The personas of a run by progress. A persona is in at most one of `open`, `finished` and `failed`. */
class Personas {
  readonly open: Set<number>;
  /** Open personas whose dialogues have half ended. */
  readonly easing: Set<number>;
  /** Open personas whose workflow may not have started yet. */
  readonly starting = new Set<number>();
  readonly finished: Set<number>;
  readonly failed: Set<number>;
  misconfigured: FailedCall | undefined;

  constructor(soFar: Partial<RunState> = {}) {
    this.open = new Set(soFar.open);
    this.easing = new Set(soFar.easing);
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
      // Its record is stored, so an earlier failure no longer counts.
      this.failed.delete(number);
    }
  }

  /** Adds an open persona, before its workflow starts: its last signal may arrive before the news of its start. */
  begin(number: number): void {
    this.open.add(number);
    this.starting.add(number);
  }

  ease(number: number): void {
    if (this.open.has(number)) this.easing.add(number);
  }

  leave(number: number): void {
    this.open.delete(number);
    this.easing.delete(number);
    this.starting.delete(number);
  }

  /** Returns the open personas weighted by load: with half of its dialogues left, one has about half the calls in flight. */
  get load(): number {
    return this.open.size - this.easing.size / 2;
  }

  isNew(number: number): boolean {
    return ![this.open, this.finished, this.failed].some((personas) => personas.has(number));
  }
}

/**
 * Carries out a run: describes personas in batches, one batch ahead of the window, and keeps a window of persona workflows open. When all are
 * closed, it has the data sets built. Personas are identified by number, signal how they ended, and outlive the run's continuing as new. Every
 * `checkIntervalMs`, those that closed without a signal are counted as failed or started again.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid; no persona is lost by that.
 */
export async function run(input: RunInput): Promise<RunResult> {
  const { settings, batches, restarts = [], checkIntervalMs = 60_000 } = input;
  const runId = workflowInfo().workflowId;
  const plan = { run: runId, settings, restarts };
  const personas = new Personas(input.soFar);
  const waiting = [...(input.soFar?.waiting ?? batches)];
  const describing = new Set<DescriptionBatch>();
  const ready: DescribedPersona[] = [];
  let window = input.window;
  let building = false;
  let movesTo: string | undefined;
  let haveGone = false;
  let broken: { readonly error: unknown } | undefined;

  setHandler(personaClosed, (outcome) => personas.close(outcome));
  setHandler(personaEasing, (number) => personas.ease(number));
  setHandler(setWindow, (size) => void (window = size));
  setHandler(moveTo, (queue) => void (movesTo = queue));
  setHandler(workersGone, () => void (haveGone = true));
  setHandler(progress, () => ({
    personas: settings.nPersonas,
    finished: personas.finished.size,
    failed: personas.failed.size,
    open: [...personas.open],
    building,
    ...(personas.misconfigured === undefined ? {} : { misconfigured: personas.misconfigured }),
  }));

  if (input.soFar === undefined) {
    const closed = await storeActivities.findClosedPersonas({ run: runId });
    for (const number of closed.finished) personas.close({ persona: number, state: 'finished' });
    for (const number of closed.failed) personas.close({ persona: number, state: 'failed' });
  }

  try {
    const describe = (batch: DescriptionBatch) => {
      describing.add(batch);
      void describeBatch(plan, batch, personas)
        .then((described) => ready.push(...described))
        .catch((error: unknown) => (broken = { error }))
        .finally(() => describing.delete(batch));
    };
    const start = (described: DescribedPersona) => {
      void startPersona(plan, described, personas).catch((error: unknown) => (broken = { error }));
    };
    const batchOf = (number: number) =>
      batches.filter((one) => listDescribedBy(one, restarts).includes(number));
    const describeAgain = (number: number) => {
      personas.leave(number);
      for (const batch of batchOf(number)) describe(batch);
    };
    const untilCheck = async () => {
      await condition(() => haveGone, checkIntervalMs);
      haveGone = false;
    };
    const watching = watchOpen(plan, personas, describeAgain, untilCheck);
    // Waits for describing and starting personas, because another version would do that again.
    const canMove = () => movesTo !== undefined && describing.size + personas.starting.size === 0;
    const stopping = () =>
      personas.misconfigured !== undefined || broken !== undefined || movesTo !== undefined || isOutgrown();
    const idle = () => personas.open.size + describing.size === 0;
    const room = () => Math.ceil(window / (settings.nSessions - 1) - personas.load);
    const canStart = () => ready.length > 0 && room() > 0;
    const canDescribe = () =>
      waiting.length > 0 && ready.length + count(describing) < room() + settings.describeBatch;
    const over = () => idle() && ready.length + waiting.length === 0;
    for (;;) {
      await condition(() => stopping() || over() || canStart() || canDescribe());
      if (stopping() || over()) break;
      if (canStart()) for (const next of ready.splice(0, 1)) start(next);
      else for (const next of waiting.splice(0, 1)) describe(next);
    }
    await condition(() => idle() || broken !== undefined || canMove() || isOutgrown());
    if (broken !== undefined) throw broken.error;
    if (!over() && personas.misconfigured === undefined) {
      // Personas that may not have started are described again by the next run, from the journal.
      const unstarted = [...ready.map(({ number }) => number), ...personas.starting].flatMap(batchOf);
      const soFar = {
        waiting: removeDuplicates([...describing, ...unstarted, ...waiting]),
        open: [...personas.open].filter((number) => !personas.starting.has(number)),
        easing: [...personas.easing],
        finished: [...personas.finished],
        failed: [...personas.failed],
      };
      if (!canMove()) await continueAsNew<typeof run>({ ...input, window, soFar });
      // The other version reads the store, so it need not understand this one's state.
      const { soFar: _, ...begun } = input;
      await continueOn<typeof run>(movesTo, { ...begun, window });
    }
    await condition(idle);
    watching.cancel();
  } catch (error) {
    if (isCancellation(error)) await cancelOpen(runId, personas.open);
    throw error;
  }
  if (personas.misconfigured !== undefined) {
    throw createMisconfiguredFailure(personas.misconfigured);
  }
  building = true;
  const built = await storeActivities.buildDatasets({ run: runId });
  return { ...built, finished: personas.finished.size, failed: personas.failed.size };
}

// A long run outgrows its history at any point, even while it waits for an unavailable model.
function isOutgrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** Returns each batch once. Batches from before continuing as new are other objects, so they are compared by value. */
function removeDuplicates(batches: readonly DescriptionBatch[]): DescriptionBatch[] {
  return [...new Map(batches.map((batch) => [`${batch.first}.${batch.generation ?? 0}`, batch])).values()];
}

function count(batches: Iterable<DescriptionBatch>): number {
  return [...batches].reduce((sum, batch) => sum + batch.count, 0);
}

/** The run, as far as the calls of its personas depend on it. */
type RunPlan = SynthesisPlan & { readonly restarts: readonly Restart[] };

interface DescribedPersona {
  readonly number: number;
  readonly described: DescriptionRef;
}

/** Describes a batch; returns its new personas. If a batch fails, its personas fail. */
async function describeBatch(
  plan: RunPlan,
  batch: DescriptionBatch,
  personas: Personas,
): Promise<DescribedPersona[]> {
  const { run: runId, restarts } = plan;
  const numbers = listDescribedBy(batch, restarts);
  if (!numbers.some((number) => personas.isNew(number))) return [];
  const script = { script: 'describe', ...batch } as const;
  const place = { run: runId, script, restarts };
  try {
    const described = await carryOut(describePersonas(plan, batch), (_, known) =>
      proxyModelActivities().makeCalls({ ...place, known }),
    );
    return numbers.map((number) => ({ number, described }));
  } catch (error) {
    if (!(error instanceof CallsFailed)) throw error;
    const misconfigured = findMisconfiguration(error.failures);
    for (const number of numbers.filter((one) => personas.isNew(one))) {
      const revision = getRevision(restarts, number);
      const work = buildFailedPlaces(error.failures, number).map((one) => ({ ...one, ...revision }));
      personas.close(
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
  { run: runId, settings, restarts }: RunPlan,
  { number, described }: DescribedPersona,
  personas: Personas,
): Promise<void> {
  if (!personas.isNew(number)) return;
  personas.begin(number);
  const own = restarts.filter((restart) => restart.persona === number);
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
          ...(own.length === 0 ? {} : { restarts: own }),
        },
      ],
      // The persona must outlive this run's continuing as new; the run cancels it by name.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    // It still runs for an earlier workflow; it will signal its end to this one.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
      personas.leave(number);
      throw error;
    }
  }
  personas.starting.delete(number);
}

/**
 * Checks periodically for open personas that are not running. Terminated ones, for example, count as failed. Those that ended without being able
 * to signal, and those whose workers have gone, are started again; the journal has their answers.
 */
function watchOpen(
  plan: RunPlan,
  personas: Personas,
  startAgain: (number: number) => void,
  untilCheck: () => Promise<void>,
): CancellationScope {
  const scope = new CancellationScope();
  void scope
    .run(async () => {
      for (;;) {
        await untilCheck();
        try {
          await closeSilent(plan, personas, startAgain);
        } catch (error) {
          // Failed look-ups are repeated at the next check.
          if (isCancellation(error)) throw error;
        }
      }
    })
    .catch(() => undefined);
  return scope;
}

async function closeSilent(
  { run: runId, restarts }: RunPlan,
  personas: Personas,
  startAgain: (number: number) => void,
): Promise<void> {
  const started = [...personas.open].filter((number) => !personas.starting.has(number));
  const byId = new Map(started.map((number) => [buildPersonaWorkflowId(runId, number), number]));
  if (byId.size === 0) return;
  for (const { workflowId, status } of await storeActivities.findClosedWorkflows({
    run: runId,
    workflowIds: [...byId.keys()],
  })) {
    const number = byId.get(workflowId);
    // Its last signal may have arrived during the look-up.
    if (number === undefined || !personas.open.has(number)) continue;
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
    personas.close(await storeActivities.keepFailure({ run: runId, persona: number, work: [work] }));
  }
}

async function cancelOpen(runId: string, open: ReadonlySet<number>): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    const cancelled = [...open].map((number) =>
      getExternalWorkflowHandle(buildPersonaWorkflowId(runId, number)).cancel(),
    );
    // A persona that has closed cannot be cancelled, and need not be.
    await Promise.allSettled(cancelled);
  });
}
