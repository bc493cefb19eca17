import { join } from 'node:path';
import { hasEvaluationPlan, openEvaluation, type OpenEvaluation } from '../data/run/evaluation-plan';
import { JournalError, openJournal, type Journal } from '../data/run/journal';
import { keptCalls } from '../data/run/kept-calls';
import { folderStore, type Store } from '../data/store/store';
import { evaluationRow } from '../rules/trials/rows';
import { trialWorkflowId } from '../journal/key';
import { outcomeOf, type KeptCalls } from '../rules/trials/outcomes';
import { trialsOf, type Trial } from '../rules/trials/trials';
import type { Cell, EvaluationRow } from '../schemas/evaluation';
import type { Instance } from '../schemas/instance';
import { identityOf } from './cells';

/** An evaluation as it is kept: what it goes by, and every answer. */
export interface KeptEvaluation extends OpenEvaluation {
  readonly store: Store;
  readonly journal: Journal;
}

/** @throws Error that names what the store lacks or what in it is damaged */
export async function keptEvaluation(store: Store): Promise<KeptEvaluation> {
  return { ...(await openEvaluation(store)), store, journal: openJournal(store) };
}

/** The evaluation in a folder, finished or not; undefined when there is none. */
export async function evaluationIn(folder: string): Promise<KeptEvaluation | undefined> {
  const store = folderStore(join(folder, '.cupid'));
  return (await hasEvaluationPlan(store)) ? keptEvaluation(store) : undefined;
}

/** What came of one trial: a row for each of its cells, and the calls they were made from. */
export interface TrialRows {
  readonly trial: Trial;
  readonly instance: Instance;
  readonly calls: KeptCalls;
  readonly results: readonly { readonly cell: Cell; readonly row: EvaluationRow }[];
}

/** Reads what is kept of every trial, in order, a few in memory at a time. */
export async function* trialRows(kept: KeptEvaluation): AsyncGenerator<TrialRows> {
  const reading: Promise<TrialRows>[] = [];
  for (const trial of trialsOf(kept.inputs, kept.index)) {
    const rows = rowsOfTrial(kept, trial);
    // It may fail before it is awaited, or never be awaited.
    rows.catch(() => undefined);
    reading.push(rows);
    if (reading.length < TRIALS_READ_AHEAD) continue;
    const first = reading.shift();
    if (first !== undefined) yield await first;
  }
  for (const rows of reading) yield await rows;
}

/** A trial is some ten small files: read one trial after the other, most of the time passes waiting for them. */
const TRIALS_READ_AHEAD = 8;

async function rowsOfTrial(kept: KeptEvaluation, trial: Trial): Promise<TrialRows> {
  const { inputs } = kept;
  const calls = await keptCalls(kept, trialWorkflowId(inputs.id, trial));
  const { instance, ...stored } = await kept.instance(trial.instance);
  const results = trial.cells.map((cell) => {
    const outcome = outcomeOf(inputs, cell, instance, calls);
    return { cell, row: evaluationRow(inputs, cell, { instance, ...stored }, outcome) };
  });
  return { trial, instance, calls, results };
}

/** Those of some cells that have an instance that has not come out yet; all of them where an answer is damaged, which the run reports. */
export async function openCells(kept: KeptEvaluation, cells: readonly Cell[]): Promise<readonly Cell[]> {
  const left = new Map(cells.map((cell) => [identityOf(cell), cell]));
  const open = new Set<Cell>();
  try {
    for await (const { results } of trialRows(kept)) {
      for (const { cell, row } of results) {
        const wanted = row.state === 'open' ? left.get(identityOf(cell)) : undefined;
        if (wanted !== undefined) open.add(wanted);
      }
      if (open.size === left.size) break;
    }
  } catch (error) {
    if (error instanceof JournalError) return cells;
    throw error;
  }
  return [...open];
}

/** The cells that are not among the wanted ones and of which no instance has come out yet, one way or the other. */
export async function idleCells(kept: KeptEvaluation, wanted: readonly Cell[]): Promise<Cell[]> {
  const asked = new Set(wanted.map(identityOf));
  const idle = new Set(kept.inputs.cells.filter((cell) => !asked.has(identityOf(cell))));
  if (idle.size === 0) return [];
  for await (const { results } of trialRows(kept)) {
    for (const { cell, row } of results) if (row.state !== 'open') idle.delete(cell);
    if (idle.size === 0) break;
  }
  return [...idle];
}
