import { hasEvaluationPlan, openEvaluation, type ReadableEvaluation } from '../../data/run/evaluation-plan';
import { openJournal, type Journal } from '../../data/run/journal';
import { readStoredCalls } from '../../data/run/stored-calls';
import { isChosen, type PersonaFilter } from '../../data/sets/persona-filter';
import { openRunStore } from '../../data/store/open-store';
import { readAhead } from '../../data/store/read-ahead';
import type { Store } from '../../data/store/store';
import { buildEvaluationRow } from '../../rules/trials/rows';
import { buildTrialId } from '../../engine/journal/key';
import { readCell, type FoundCall } from '../../rules/method/evaluation-reader';
import { readTrialSubject } from '../../rules/method/trial-subject';
import { computeOutcome } from '../../rules/trials/outcomes';
import { listTrials, type Trial } from '../../rules/method/evaluation-work';
import type { Cell, EvaluationRow } from '../../schemas/evaluation/evaluation';
import { buildCellIdentity } from '../../rules/trials/cells';

/** A stored evaluation: its inputs and every answer. */
export interface StoredEvaluation extends ReadableEvaluation {
  readonly store: Store;
  readonly journal: Journal;
  /** The personas whose rows are read; absent for all. */
  readonly filter?: PersonaFilter;
}

/** @throws Error that names what the store lacks, or what in it is damaged */
export async function readStoredEvaluation(store: Store): Promise<StoredEvaluation> {
  return { ...(await openEvaluation(store)), store, journal: openJournal(store) };
}

/** Finds the evaluation in a folder, finished or not; undefined if there is none. */
export async function findEvaluation(folder: string): Promise<StoredEvaluation | undefined> {
  const store = await openRunStore(folder);
  return (await hasEvaluationPlan(store)) ? readStoredEvaluation(store) : undefined;
}

/** Result of a trial: a row for each of its cells, and the calls behind it. */
export interface TrialRows {
  readonly trial: Trial;
  readonly results: readonly {
    readonly cell: Cell;
    readonly calls: readonly FoundCall[];
    readonly row: EvaluationRow;
  }[];
}

/** Reads the results of all trials in order, a few in memory at a time. */
export async function* readTrialRows(evaluation: StoredEvaluation): AsyncGenerator<TrialRows> {
  yield* readRowsOfTrials(evaluation, listChosenTrials(evaluation));
}

function listChosenTrials({ inputs, index, filter }: StoredEvaluation): Trial[] {
  const chosen =
    filter &&
    new Set(index.flatMap(({ persona_id, number }) => (isChosen(filter, persona_id) ? [number] : [])));
  return listTrials(inputs, index).filter(({ instance }) => chosen?.has(instance) !== false);
}

function readRowsOfTrials(evaluation: StoredEvaluation, trials: readonly Trial[]): AsyncGenerator<TrialRows> {
  return readAhead(trials, READ_AT_ONCE, (trial) => readRowsOfTrial(evaluation, trial));
}

/** Number of trials read at once; each has some ten small files. */
const READ_AT_ONCE = 8;

/** Reads the results of one trial. @throws JournalError for a damaged answer */
export async function readRowsOfTrial(evaluation: StoredEvaluation, trial: Trial): Promise<TrialRows> {
  const { inputs } = evaluation;
  const stored = await readStoredCalls(evaluation, buildTrialId(inputs.id, trial));
  const subject = await readTrialSubject(evaluation, trial);
  const results = trial.cells.map((cell) => {
    const calls = readCell(inputs, trial, cell, subject, stored);
    return { cell, calls, row: buildEvaluationRow(inputs, cell, subject, computeOutcome(cell, calls)) };
  });
  return { trial, results };
}

/**
 * Lists those of the given cells that have an instance without an outcome.
 * @throws JournalError for a damaged answer
 */
export async function listOpenCells(
  evaluation: StoredEvaluation,
  cells: readonly Cell[],
): Promise<readonly Cell[]> {
  const left = new Map(cells.map((cell) => [buildCellIdentity(cell), cell]));
  const open = new Set<Cell>();
  // The last trials are open the longest.
  const trials = listChosenTrials(evaluation).toReversed();
  for await (const { results } of readRowsOfTrials(evaluation, trials)) {
    for (const { cell, row } of results) {
      const openCell = row.state === 'open' ? left.get(buildCellIdentity(cell)) : undefined;
      if (openCell !== undefined) open.add(openCell);
    }
    if (open.size === left.size) break;
  }
  return [...open];
}

/** Lists the cells outside the given ones that have no outcome for any instance. */
export async function listIdleCells(evaluation: StoredEvaluation, cells: readonly Cell[]): Promise<Cell[]> {
  const identities = new Set(cells.map(buildCellIdentity));
  const idle = new Set(evaluation.inputs.cells.filter((cell) => !identities.has(buildCellIdentity(cell))));
  if (idle.size === 0) return [];
  for await (const { results } of readTrialRows(evaluation)) {
    for (const { cell, row } of results) if (row.state !== 'open') idle.delete(cell);
    if (idle.size === 0) break;
  }
  return [...idle];
}
