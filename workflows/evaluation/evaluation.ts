import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  executeChild,
  setHandler,
  TerminatedFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { buildTrialWorkflowId } from '../../engine/journal/key';
import { buildStudyWorkflowId } from '../../rules/trials/trials';
import type { EvaluationPlan } from '../../rules/method/evaluation-calls';
import type { Cell } from '../../schemas/evaluation/evaluation';
import type { StudyKind } from '../../schemas/evaluation/evaluation-run';
import type { FailedCall } from '../../schemas/run/outcome';
import { createMisconfiguredFailure } from '../carry-out';
import { evaluationProgress, moveTo, setWindow } from '../messages';
import { continueOn, inheritMemo, evaluationStoreActivities } from '../options';
import type { PieceResult } from './carry-out-work';
import { study } from './study';
import { trial } from './trial';

/** What there is to do. The trials come first: what is studied is drawn from how they came out. */
export type EvaluationWork =
  | {
      readonly phase: 'trials';
      readonly cells: readonly Cell[];
      /** Asks no model under test: only what it has answered before is evaluated. */
      readonly onlyStored: boolean;
      /** Continues only what depends on a retried call. */
      readonly onlyRetried?: boolean;
    }
  | { readonly phase: 'studies'; readonly kinds: readonly StudyKind[]; readonly onlyRetried?: boolean };

interface EvaluationInput extends EvaluationPlan {
  readonly todo: EvaluationWork;
  /** Pieces of work open at once. */
  readonly window: number;
  /** What was known when this continued as new; absent when it begins. */
  readonly soFar?: EvaluationSoFar;
}

interface EvaluationSoFar extends Tally {
  /** Where the next page of work begins. */
  readonly from: number;
}

export interface EvaluationResult {
  /** Pieces of work that were done here. */
  readonly done: number;
  /** Those that were done before. */
  readonly passed: number;
  /** Calls of theirs that gave nothing that could be used. */
  readonly missing: number;
  /** Pieces of work that ended unasked, with the first few causes: they are still open. */
  readonly broken: number;
  readonly causes: readonly FailedCall[];
}

/**
 * Returns an evaluation: a window of trials, or of studies, kept open until all are done. Before its history grows large it lets the
 * open ones end, and continues as new.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid; nothing is lost by that
 */
export async function evaluation(input: EvaluationInput): Promise<EvaluationResult> {
  const { todo, soFar, window: firstWindow, ...models } = input;
  const { from: begun = 0, ...known }: Partial<EvaluationSoFar> = soFar ?? {};
  const tally: Tally = { done: 0, passed: 0, missing: 0, broken: 0, causes: [], ...known };
  let window = firstWindow;
  let total: number | undefined;
  let open = 0;
  let misconfigured: FailedCall | undefined;
  let movesTo: string | undefined;

  setHandler(setWindow, (size) => void (window = size));
  setHandler(moveTo, (queue) => void (movesTo = queue));
  setHandler(evaluationProgress, () => ({
    phase: todo.phase,
    ...(total === undefined ? {} : { total }),
    done: tally.done,
    passed: tally.passed,
    missing: tally.missing,
    open,
    ...(misconfigured === undefined ? {} : { misconfigured }),
  }));

  const begin = async (child: () => Promise<PieceResult>) => {
    open += 1;
    try {
      const { missing } = await child();
      tally.done += 1;
      tally.missing += missing;
    } catch (error) {
      const found = findMisconfiguration(error);
      if (found !== undefined) {
        misconfigured = found;
      } else {
        tally.broken += 1;
        if (tally.causes.length < CAUSES_KEPT) tally.causes.push(getCause(error));
      }
    } finally {
      open -= 1;
    }
  };
  const stopping = () => misconfigured !== undefined || tally.broken >= MOST_BROKEN;
  // The other version continues from the journal; trials that are open end here.
  const move = async () => {
    await condition(() => open === 0);
    const { soFar: _, ...kept } = input;
    if (!stopping()) await continueOn<typeof evaluation>(movesTo, { ...kept, window });
  };

  for (let from: number | undefined = begun; from !== undefined && !stopping();) {
    const page: Page = await fetchNextPage(todo, models, from);
    total = page.total;
    tally.passed += page.passed;
    for (const child of page.children) {
      await condition(() => open < window || stopping() || movesTo !== undefined);
      if (movesTo !== undefined) await move();
      if (stopping()) break;
      void begin(child);
    }
    from = page.next;
    if (from === undefined || !isOutgrown()) continue;
    await condition(() => open === 0);
    if (!stopping()) await continueAsNew<typeof evaluation>({ ...input, window, soFar: { ...tally, from } });
  }
  await condition(() => open === 0);
  if (misconfigured !== undefined) throw createMisconfiguredFailure(misconfigured);
  return tally;
}

type Tally = { -readonly [Field in keyof EvaluationResult]: EvaluationResult[Field] } & {
  causes: FailedCall[];
};

// Letting the open ones end first takes no longer than one of them does, once in some hundreds.
function isOutgrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** How many causes are reported of work that ended unexpectedly. */
const CAUSES_KEPT = 5;

/** Where so much goes wrong that is no model's doing, nothing further is begun. */
const MOST_BROKEN = 20;

interface Page {
  /** Starts one work item and waits for its end. */
  readonly children: readonly (() => Promise<PieceResult>)[];
  readonly next?: number;
  readonly passed: number;
  readonly total: number;
}

async function fetchNextPage(todo: EvaluationWork, models: EvaluationPlan, from: number): Promise<Page> {
  const { run } = models;
  const retried = todo.onlyRetried === true ? { onlyRetried: true } : {};
  if (todo.phase === 'trials') {
    const { cells, onlyStored } = todo;
    const { work: trials, ...page } = await evaluationStoreActivities.findTrials({
      run,
      from,
      cells,
      onlyStored,
      ...retried,
    });
    const children = trials.map((work) => {
      const workflowId = buildTrialWorkflowId(run, work);
      return () => executeChild(trial, { ...inheritMemo(), workflowId, args: [{ ...models, work }] });
    });
    return { ...page, children };
  }
  const { work: studies, ...page } = await evaluationStoreActivities.findStudies({
    run,
    from,
    kinds: todo.kinds,
    ...retried,
  });
  const children = studies.map((work) => {
    const workflowId = buildStudyWorkflowId(run, work);
    return () => executeChild(study, { ...inheritMemo(), workflowId, args: [{ ...models, work }] });
  });
  return { ...page, children };
}

/** Returns the call that no configuration as it is can get an answer to; undefined for any other error. */
function findMisconfiguration(error: unknown): FailedCall | undefined {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'misconfigured' ? getCall(cause) : undefined;
}

function getCause(error: unknown): FailedCall {
  if (!(error instanceof ChildWorkflowFailure)) return { kind: 'unexpected', key: '' };
  const { cause, execution } = error;
  const failed = cause instanceof ApplicationFailure ? getCall(cause) : undefined;
  return failed ?? { kind: describeEnd(cause), key: execution.workflowId ?? '' };
}

/** How a workflow ended that failed of no call: somebody may have ended it. */
function describeEnd(cause: Error | undefined): string {
  if (cause instanceof CancelledFailure) return 'cancelled';
  return cause instanceof TerminatedFailure ? 'terminated' : 'unexpected';
}

/** Returns the call that a workflow of this program failed of; undefined where no call was the reason. */
function getCall({ details }: ApplicationFailure): FailedCall | undefined {
  const detail: unknown = details?.[0];
  if (typeof detail !== 'object' || detail === null) return undefined;
  const { kind, key }: { readonly kind?: unknown; readonly key?: unknown } = detail;
  return typeof kind === 'string' && typeof key === 'string' ? { kind, key } : undefined;
}
