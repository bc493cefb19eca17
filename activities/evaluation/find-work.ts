import { readStudies, readStudySubject } from '../../data/run/evaluation-plan';
import { readAhead } from '../../data/store/read-ahead';
import { createMissingEntryError } from '../../data/run/journal';
import { readStoredCalls } from '../../data/run/stored-calls';
import { buildJournalKey, buildTrialId } from '../../engine/journal/key';
import { buildPlan } from '../../rules/method/evaluation-calls';
import {
  isOpen,
  isRetried,
  listRetried,
  readCell,
  readStudy,
  type FoundCall,
} from '../../rules/method/evaluation-reader';
import { readTrialSubject } from '../../rules/method/trial-subject';
import { conductStudy } from '../../rules/method/study';
import { beginFullTrial, listLostCalls } from '../../rules/trials/gaps';
import { OWN_STEPS } from '../../rules/trials/outcomes';
import {
  buildStudyId,
  listTrials,
  buildTrialWork,
  type RetriedCalls,
  type Trial,
  type TrialWork,
} from '../../rules/method/evaluation-work';
import type { Cell } from '../../schemas/evaluation/evaluation';
import { getContextForm, getHistoryTier } from '../../schemas/evaluation/context';
import { listStudyWork, type StudyKind, type StudyWork } from '../../schemas/evaluation/studies';
import type { EvaluationFiles, EvaluationWorld } from './inputs';

/** A page of the remaining work, in order. */
interface WorkPage<Work> {
  readonly work: readonly Work[];
  /** Beginning of the next page; absent on the last one. */
  readonly next?: number;
  /** Number of finished pieces that were skipped. */
  readonly skipped: number;
  /** Total number of pieces, finished or not. */
  readonly total: number;
}

/** A trial to be carried out. */
export interface FoundTrial extends TrialWork {
  /** First row of the persona, if a model reads the extended history: those of a persona begin alike. Absent for others. */
  readonly persona?: number;
}

/** Pieces of work in a page: the evaluation's workflow begins all of them before it continues as new. */
const PAGE = 100;

/** Number of trials whose answers are read at once. */
const READ_AT_ONCE = 8;

/**
 * Finds the unfinished trials of these cells from position `from` on: those with a cell that is neither scored nor missing.
 * @param input.onlyStored skips trials that no model under test has answered, so that none is called
 * @param input.onlyRetried skips trials without a retried call
 */
export async function findTrials(
  { run }: EvaluationWorld,
  input: {
    readonly run: string;
    readonly from: number;
    readonly cells: readonly Cell[];
    readonly onlyStored: boolean;
    readonly onlyRetried?: boolean;
  },
): Promise<WorkPage<FoundTrial>> {
  const trials = listTrials({ ...run.inputs, cells: [...input.cells] }, run.index);
  const total = trials.length;
  const work: FoundTrial[] = [];
  let skippedCount = 0;
  let at = input.from;
  const left = trials.slice(at);
  for await (const open of readAhead(left, READ_AT_ONCE, (trial) => openPart(run, trial, input))) {
    if (work.length === PAGE) return { work, next: at, skipped: skippedCount, total };
    at += 1;
    if (open === undefined) skippedCount += 1;
    else work.push(withPersona(run, open));
  }
  return { work, skipped: skippedCount, total };
}

/** Adds the persona of a trial whose model reads the whole extended history, and not what a memory system makes of it. */
function withPersona(
  { listPersonaRows }: Pick<EvaluationFiles, 'listPersonaRows'>,
  work: TrialWork,
): FoundTrial {
  const { instance, context } = work;
  if (getHistoryTier(context) === undefined || getContextForm(context) === 'memory') return work;
  return { ...work, persona: listPersonaRows(instance)[0] ?? instance };
}

/**
 * Finds the pieces of the studies from position `from` on; their answers come from the journal.
 * @param input.onlyRetried skips pieces without a retried call
 */
export async function findStudies(
  { run }: EvaluationWorld,
  input: {
    readonly run: string;
    readonly from: number;
    readonly kinds: readonly StudyKind[];
    readonly onlyRetried?: boolean;
  },
): Promise<WorkPage<StudyWork & RetriedCalls>> {
  const studyWork = listStudyWork(await readStudies(run.store), input.kinds).map(omitTexts);
  // Two studies may match the same pair.
  const all = [...new Map(studyWork.map((piece) => [buildStudyId(run.id, piece), piece])).values()];
  const end = input.from + PAGE;
  const page = all.slice(input.from, end);
  const work: (StudyWork & RetriedCalls)[] = [];
  for (const piece of page) {
    const workflowId = buildStudyId(run.id, piece);
    const calls = await readStoredCalls(run, workflowId);
    const foundCalls = readStudy(run.inputs, piece, await readStudySubject(run, piece), calls);
    const begin = () => conductStudy(buildPlan(run.inputs), piece);
    requireNoneLost(workflowId, listLostCalls(begin, foundCalls, calls));
    if (isRetried(foundCalls) || input.onlyRetried !== true) work.push({ ...piece, ...listRetried(calls) });
  }
  const skippedCount = page.length - work.length;
  return { work, skipped: skippedCount, total: all.length, ...(end < all.length ? { next: end } : {}) };
}

/** Removes texts, which must not reach the engine. */
function omitTexts(work: StudyWork): StudyWork {
  if (work.kind !== 'pair') return work;
  const { kind, id, matcher } = work;
  return { kind, id, matcher };
}

/** Returns the open part of a trial; undefined if none of its cells is open. */
async function openPart(
  run: EvaluationFiles,
  trial: Trial,
  { onlyStored, onlyRetried = false }: { readonly onlyStored: boolean; readonly onlyRetried?: boolean },
): Promise<TrialWork | undefined> {
  const workflowId = buildTrialId(run.id, trial);
  const calls = await readStoredCalls(run, workflowId);
  const untouched = calls.entries.length + calls.missing.length === 0 && calls.revisions === undefined;
  if (untouched && onlyRetried) return undefined;
  if (untouched && !onlyStored) return buildTrialWork(run.inputs, trial);
  const subject = await readTrialSubject(run, trial);
  const begin = beginFullTrial(buildPlan(run.inputs), trial);
  const cells = trial.cells.filter((cell) => {
    const foundCalls = readCell(run.inputs, trial, cell, subject, calls);
    if (!foundCalls.some(isOpen)) return false;
    requireNoneLost(workflowId, listLostCalls(begin, foundCalls, calls));
    if (isRetried(foundCalls)) return true;
    const asksTested = foundCalls.some((call) => isOpen(call) && OWN_STEPS.has(call.step));
    return !onlyRetried && (!onlyStored || !asksTested);
  });
  if (cells.length === 0) return undefined;
  return { ...buildTrialWork(run.inputs, { ...trial, cells }), ...listRetried(calls) };
}

/** @throws JournalError for a lost answer on which later calls depend, because a new one would not fit them */
function requireNoneLost(workflowId: string, [lostCall]: readonly FoundCall[]): void {
  if (lostCall !== undefined)
    throw createMissingEntryError(buildJournalKey({ workflowId, ...lostCall, attempt: 0 }));
}
