import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { getPlannedRun, type EvaluationScriptPlan } from '../../rules/method/evaluation-calls';
import type { EvaluationScript } from '../../rules/method/evaluation-script';
import type { FoundTrial } from '../../activities/evaluation/find-work';
import { groupBy } from '../../rules/group-by';
import type { Cell } from '../../schemas/evaluation/evaluation';
import type { StudyKind } from '../../schemas/evaluation/studies';
import type { FailedCall } from '../../schemas/run/outcome';
import { createMisconfiguredFailure } from '../carry-out';
import { evaluationProgress, moveTo, setWindow } from '../messages';
import { continueOn, evaluationStoreActivities } from '../options';
import { carryOutWork } from './carry-out-work';

/** Work of an evaluation. Trials come first, because studies are sampled from their outcomes. */
export type EvaluationWork =
  | {
      readonly phase: 'trials';
      readonly cells: readonly Cell[];
      /** Asks no model under test: only stored answers are evaluated. */
      readonly onlyStored: boolean;
      /** Continues only work that depends on a retried call. */
      readonly onlyRetried?: boolean;
    }
  | { readonly phase: 'studies'; readonly kinds: readonly StudyKind[]; readonly onlyRetried?: boolean };

interface EvaluationInput extends EvaluationScriptPlan {
  readonly todo: EvaluationWork;
  /** Pieces of work open at once. */
  readonly window: number;
  /** State when this continued as new; absent at the beginning. */
  readonly state?: EvaluationSoFar;
}

interface EvaluationSoFar extends EvaluationTally {
  /** First row of the next page of work. */
  readonly from: number;
}

export interface EvaluationResult {
  /** Pieces of work done by this workflow. */
  readonly done: number;
  /** Pieces of work that were done before. */
  readonly skipped: number;
  /** Calls without a usable answer. */
  readonly missing: number;
  /** Pieces of work that ended unexpectedly, with the first few causes. They are still open. */
  readonly broken: number;
  readonly causes: readonly FailedCall[];
}

/**
 * Carries out an evaluation: keeps a window of trials, or of studies, open until all are done. Before its history grows large, it waits for the
 * open ones and continues as new.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid; nothing is lost by that
 */
export async function evaluation(input: EvaluationInput): Promise<EvaluationResult> {
  const { todo, state, window: firstWindow, ...models } = input;
  const { from: begun = 0, ...earlierTally }: Partial<EvaluationSoFar> = state ?? {};
  const tally: EvaluationTally = { done: 0, skipped: 0, missing: 0, broken: 0, causes: [], ...earlierTally };
  let window = firstWindow;
  let total: number | undefined;
  let open = 0;
  /** Pieces of the open sequences that have not ended. It is not kept up once the evaluation is stopping, because nothing begins then. */
  let unfinished = 0;
  let misconfigured: FailedCall | undefined;
  let movesTo: string | undefined;
  /** Events in the history when Temporal did not suggest yet to continue as new. It does from 4,096 on, and allows 51,200. */
  let unsuggestedLength = 0;

  setHandler(setWindow, (size) => void (window = size));
  setHandler(moveTo, (queue) => void (movesTo = queue));
  setHandler(evaluationProgress, () => ({
    phase: todo.phase,
    ...(total === undefined ? {} : { total }),
    done: tally.done,
    skipped: tally.skipped,
    missing: tally.missing,
    open,
    ...(misconfigured === undefined ? {} : { misconfiguration: misconfigured }),
  }));

  const stopping = () => misconfigured !== undefined || tally.broken >= MOST_BROKEN;
  const observeLength = () => {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (!continueAsNewSuggested) unsuggestedLength = historyLength;
  };
  const begin = async (sequence: WorkSequence) => {
    open += 1;
    unfinished += sequence.length;
    for (const script of sequence) {
      const end = await carryOutWork(models, script);
      unfinished -= 1;
      if (end.state === 'done') {
        tally.done += 1;
        tally.missing += end.missing;
      } else if (end.state === 'misconfigured') {
        misconfigured = end.cause;
      } else {
        tally.broken += 1;
        if (tally.causes.length < CAUSES_KEPT) tally.causes.push(end.cause);
      }
      if (stopping()) break;
    }
    open -= 1;
  };
  const hasRoom = () => open < window && unfinished < MOST_UNFINISHED;
  // As late as is safe, because all open pieces must end first, and meanwhile ever fewer calls are in flight.
  const isOutgrown = () => {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return continueAsNewSuggested && historyLength + unfinished * EVENTS_OF_A_PIECE > unsuggestedLength * 10;
  };
  // The other version continues from the journal; open trials end here.
  const move = async () => {
    await condition(() => open === 0);
    const { state: _, ...unchangedInput } = input;
    if (!stopping()) await continueOn<typeof evaluation>(movesTo, { ...unchangedInput, window });
  };

  for (let from: number | undefined = begun; from !== undefined && !stopping();) {
    const page: SequencePage = await fetchNextPage(todo, models, from);
    total = page.total;
    tally.skipped += page.skipped;
    for (const sequence of page.sequences) {
      await condition(() => {
        observeLength();
        return hasRoom() || stopping() || movesTo !== undefined;
      });
      if (movesTo !== undefined) await move();
      if (stopping()) break;
      void begin(sequence);
    }
    from = page.next;
    if (from === undefined || !isOutgrown()) continue;
    await condition(() => open === 0);
    if (!stopping()) await continueAsNew<typeof evaluation>({ ...input, window, state: { ...tally, from } });
  }
  await condition(() => open === 0);
  if (misconfigured !== undefined) throw createMisconfiguredFailure(misconfigured);
  return tally;
}

type EvaluationTally = { -readonly [Field in keyof EvaluationResult]: EvaluationResult[Field] } & {
  causes: FailedCall[];
};

/** Each open sequence has an activity, of which Temporal allows a workflow 2,000, and each piece adds events to the history until it ends. */
const MOST_UNFINISHED = 1_000;

/** Events that a slow trial adds: those of four activities, and of the workflow task after each. */
const EVENTS_OF_A_PIECE = 24;

/** Number of causes that are reported of work that ended unexpectedly. */
const CAUSES_KEPT = 5;

/** After this many unexpected ends, no further work is begun. */
const MOST_BROKEN = 20;

/** Pieces of work of which one is done after the other. */
type WorkSequence = readonly EvaluationScript[];

interface SequencePage {
  readonly sequences: readonly WorkSequence[];
  readonly next?: number;
  readonly skipped: number;
  readonly total: number;
}

async function fetchNextPage(
  todo: EvaluationWork,
  models: EvaluationScriptPlan,
  from: number,
): Promise<SequencePage> {
  const retried = todo.onlyRetried === true ? { onlyRetried: true } : {};
  if (todo.phase === 'trials') {
    const { cells, onlyStored } = todo;
    const { work: trials, ...page } = await evaluationStoreActivities.findTrials({
      ...getPlannedRun(models),
      from,
      cells,
      onlyStored,
      ...retried,
    });
    const sequences = [...groupBy(trials, nameSharedHistory).values()].map((group) =>
      group.map((foundTrial) => {
        const { persona: _, ...work } = foundTrial;
        return { script: 'trial', work } as const;
      }),
    );
    return { ...page, sequences };
  }
  const { work: studies, ...page } = await evaluationStoreActivities.findStudies({
    ...getPlannedRun(models),
    from,
    kinds: todo.kinds,
    ...retried,
  });
  const sequences = studies.map((work) => [{ script: 'study', work } as const]);
  return { ...page, sequences };
}

/** Names the beginning of a history that trials share. One is carried out after the other, while the provider has it in its cache. */
function nameSharedHistory({ persona, instance, model, context }: FoundTrial): string {
  return JSON.stringify([persona ?? null, persona === undefined ? instance : null, model, context]);
}
