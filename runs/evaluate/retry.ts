import { formatCount, formatFirst } from '../../schemas/text/count-text';
import { readStudies, readStudySubject, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { openJournal, type DamagedEntry } from '../../data/run/journal';
import {
  readCallsBeside,
  readStoredCalls,
  supersedeCall,
  listWorkflowsWithMissing,
} from '../../data/run/stored-calls';
import { buildJournalKey, buildTrialId } from '../../engine/journal/key';
import { buildPlan } from '../../rules/method/evaluation-calls';
import { isOpen, isRetried, readCell, readStudy, type FoundCall } from '../../rules/method/evaluation-reader';
import { readTrialSubject } from '../../rules/method/trial-subject';
import { conductStudy } from '../../rules/method/study';
import { evaluateTrial } from '../../rules/method/trial';
import {
  beginFullTrial,
  listAskedCalls,
  listAskedSpecs,
  listDependentCalls,
  listLostCalls,
  type BeginScript,
  type EvaluationCallPlace,
} from '../../rules/trials/gaps';
import { isTooLong } from '../../rules/trials/outcomes';
import {
  formatCallPlace,
  buildStudyId,
  buildTrialWork,
  countRetries,
  listTrials,
} from '../../rules/method/evaluation-work';
import type { MissingCall, StoredCalls } from '../../schemas/evaluation/evaluation';
import type { EvaluationFile } from '../../schemas/evaluation/evaluation-run';
import { STUDY_KINDS, type StudyKind } from '../../schemas/evaluation/studies';
import { InputError } from '../../schemas/input-error';
import type { EvaluationStep } from '../../schemas/run/step';
import type { StoredEvaluation } from './outcomes';
import { describeCheck, describeDamage, openInspection, type ReportWorkflows } from '../plan/inspect-journal';
import { writeRunFile, type RunFolder } from '../folder/run-folder';

/** A call that is retried, or can be. */
interface RetriedCall extends EvaluationCallPlace {
  readonly workflowId: string;
  /** Number of earlier retries. */
  readonly revision: number;
}

/** A call of an evaluation that gave nothing that could be used. */
interface CallMissing extends RetriedCall, Pick<MissingCall, 'kind' | 'cause'> {
  /** Name that `cupid retry --only` takes, such as `i3/m1/full`. */
  readonly name: string;
  /** How many of its attempts have a rejected answer. */
  readonly attempts: number;
  /** All that is kept of its work. */
  readonly calls: StoredCalls;
}

export interface PlannedCalls {
  readonly retries: readonly CallMissing[];
  /** True if an earlier command began work that is still open; it continues. */
  readonly begun: boolean;
  /** Studies with calls among these. */
  readonly studies: readonly StudyKind[];
  /** SPECs of all called models. */
  readonly models: readonly string[];
}

/** Lists the calls without a usable answer that a cell or a study depends on, each once: by trial, then by study. */
export async function listMissingCalls(evaluation: StoredEvaluation): Promise<CallMissing[]> {
  const missing: CallMissing[] = [];
  for await (const part of readPartsWithMissing(evaluation)) missing.push(...listMissing(part));
  return removeDuplicates(missing);
}

/**
 * Plans what `cupid retry` asks another time: the calls for which a score or a study lacks something. Where the model under test
 * could not take the history in, nothing is missing, and it is asked only where it is named.
 * @param only names of trials and pieces of studies, as `cupid failures` lists them, or their ids; absent for all
 * @throws InputError for a name under which nothing is missing
 */
export async function planMissingCalls(
  evaluation: StoredEvaluation,
  only: readonly string[] | undefined,
): Promise<PlannedCalls> {
  const { id } = evaluation.inputs;
  const names = only?.map((text) => (text.startsWith(`${id}/`) ? text.slice(id.length + 1) : text));
  const retries: CallMissing[] = [];
  const namesWithMissing = new Set<string>();
  const begun = new Set<string>();
  const studies = new Set<StudyKind>();
  const models = new Set<string>();
  for await (const part of readPartsWithMissing(evaluation)) {
    const missing = listMissing(part);
    if (missing.length > 0) namesWithMissing.add(part.name);
    const isBegun = isRetried(part.foundCalls);
    if (isBegun) begun.add(part.name);
    const chosen = missing.filter((call) =>
      names === undefined ? !isTooLong(call) : names.includes(call.name),
    );
    retries.push(...chosen);
    if (!isBegun && chosen.length === 0) continue;
    if (part.study !== undefined) studies.add(part.study);
    const left = part.foundCalls.filter(({ result }) => result.state !== 'given');
    for (const spec of listAskedSpecs(part.begin, left)) models.add(spec);
  }
  const strange = names?.find((name) => !namesWithMissing.has(name) && !begun.has(name));
  if (strange !== undefined)
    throw new InputError(`--only ${formatNotMissing(strange, [...namesWithMissing])}`);
  return {
    retries: removeDuplicates(retries),
    begun: begun.size > 0,
    studies: STUDY_KINDS.filter((kind) => studies.has(kind)),
    models: [...models],
  };
}

/**
 * Reopens calls, and moves damaged entries out of the journal. To be called under the folder's lock; harmless to repeat. A crash in between
 * leaves some of the calls open, which either the same command or the evaluation's own then continues with.
 */
export async function reopenCalls(
  folder: RunFolder<EvaluationFile, EvaluationPlan>,
  { retries, damaged = [] }: Pick<EvaluationRepair, 'retries'> & Partial<Pick<EvaluationRepair, 'damaged'>>,
): Promise<void> {
  const { run, store } = folder;
  // No engine knows it: however this command ends, the next one starts the workflows from the journal.
  if (run !== undefined) await writeRunFile(folder, { ...run, state: 'running', codeVersion: 'none' });
  for (const call of retries) await supersedeCall(store, call.workflowId, call, call.revision);
  await openJournal(store).setAside(damaged);
}

/** Calls that `cupid retry --damaged` asks again in an evaluation. */
interface EvaluationRepair {
  /** Files to move out of the journal. */
  readonly damaged: readonly DamagedEntry[];
  readonly retries: readonly RetriedCall[];
  /** The SPECs of all who are asked. */
  readonly models: readonly string[];
  /** Findings, for the user. */
  readonly lines: readonly string[];
}

/**
 * Reads every entry of an evaluation's journal, and plans the calls to repeat: each whose answer is damaged or lost, and every call that
 * depends on one.
 */
export async function planEvaluationRepair(
  evaluation: StoredEvaluation,
  report: ReportWorkflows,
): Promise<EvaluationRepair> {
  const { journal, store } = evaluation;
  const inspection = await openInspection(journal, report);
  const retries = new Map<string, RetriedCall>();
  const lostKeys = new Set<string>();
  const models = new Set<string>();
  /** By id of the work, its calls that are asked again, or have to be. */
  const changed = new Map<string, readonly EvaluationCallPlace[]>();
  for await (const { workflowId, begin, about, readParts } of listWork(evaluation)) {
    const { entries, damaged } = await inspection.read(workflowId);
    if (entries.length + damaged.length === 0 && about === undefined) continue;
    const calls = await readCallsBeside(store, workflowId, entries);
    const keyOf = (call: FoundCall) => buildJournalKey({ workflowId, ...call, attempt: 0 });
    const damagedCalls = new Set(damaged.map(({ key }) => key.replace(/\d+$/, '0')));
    // An open call is asked again in another revision if its entry is damaged, or if others were built on it.
    const isDamaged = (call: FoundCall) => isOpen(call) && damagedCalls.has(keyOf(call));
    const parts = (await readParts(calls)).map((part) => {
      const built = listLostCalls(begin, part.foundCalls, calls);
      return { ...part, broken: part.foundCalls.filter((call) => built.includes(call) || isDamaged(call)) };
    });
    const broken = parts.flatMap((part) => part.broken);
    const dependents = listDependentCalls(begin, broken);
    const isOfChanged =
      about !== undefined && changed.get(about.workflowId)?.some(({ step }) => step === about.step) === true;
    const askedCalls = listAskedCalls(calls, isOfChanged ? undefined : dependents);
    for (const { step, turn } of [...broken, ...askedCalls]) {
      const call = { step, turn, workflowId, revision: countRetries({ step, turn }, calls.revisions) };
      retries.set(`${workflowId} ${formatCallPlace(call)}`, call);
    }
    for (const part of parts) {
      const repeated = isOfChanged && askedCalls.length > 0 ? part.foundCalls : part.broken;
      for (const spec of listAskedSpecs(part.begin, repeated)) models.add(spec);
    }
    for (const key of broken.map(keyOf)) if (!damagedCalls.has(key)) lostKeys.add(key);
    changed.set(workflowId, [...broken, ...dependents]);
  }
  const { entries, damaged } = await inspection.finish();
  return {
    damaged,
    retries: [...retries.values()],
    models: [...models],
    lines: [
      ...damaged.map((entry) => describeDamage(entry)),
      ...[...lostKeys].map((key) => `Missing: ${key}.`),
      `${describeCheck(entries, damaged.length, lostKeys.size)} ${formatCount(retries.size, 'call is', 'calls are')} repeated, including those built on these.`,
    ],
  };
}

/** A trial, or a piece of a study. */
interface Work {
  /** Name that `cupid retry --only` takes, such as `i3/m1/full`. */
  readonly name: string;
  readonly workflowId: string;
  readonly study?: StudyKind;
  readonly begin: BeginScript;
  /** The trial and its step whose answer a study is about. */
  readonly about?: { readonly workflowId: string; readonly step: EvaluationStep };
  /** Reads what each cell of a trial, or the study, depends on. */
  readonly readParts: (calls: StoredCalls) => Promise<readonly WorkPart[]>;
}

/** A cell of a trial, or a piece of a study, and the calls it depends on. */
interface WorkPart {
  readonly begin: BeginScript;
  readonly foundCalls: readonly FoundCall[];
}

/** Lists all work of an evaluation: its trials, then its studies. */
async function* listWork(evaluation: StoredEvaluation): AsyncGenerator<Work> {
  const { inputs, index, store } = evaluation;
  const plan = buildPlan(inputs);
  const nameOf = (workflowId: string) => ({ workflowId, name: workflowId.slice(inputs.id.length + 1) });
  for (const trial of listTrials(inputs, index)) {
    yield {
      ...nameOf(buildTrialId(inputs.id, trial)),
      begin: beginFullTrial(plan, trial),
      async readParts(calls) {
        const subject = await readTrialSubject(evaluation, trial);
        return trial.cells.map((cell) => ({
          begin: () => evaluateTrial(plan, buildTrialWork(inputs, { ...trial, cells: [cell] })),
          foundCalls: readCell(inputs, trial, cell, subject, calls),
        }));
      },
    };
  }
  const studies = await readStudies(store);
  for (const study of STUDY_KINDS) {
    for (const work of studies[study]?.work ?? []) {
      const begin = () => conductStudy(plan, work);
      yield {
        ...nameOf(buildStudyId(inputs.id, work)),
        study,
        begin,
        ...('instance' in work && {
          about: {
            workflowId: buildTrialId(inputs.id, work),
            step: work.kind === 'error' ? 'infer' : 'respond',
          },
        }),
        async readParts(calls) {
          return [
            { begin, foundCalls: readStudy(inputs, work, await readStudySubject(evaluation, work), calls) },
          ];
        },
      };
    }
  }
}

/** A part of work, with all that is kept of it. */
type StoredPart = Pick<Work, 'name' | 'workflowId' | 'study'> & WorkPart & { readonly calls: StoredCalls };

/** Reads all work that has, or had, a call that gave nothing usable. */
async function* readPartsWithMissing(evaluation: StoredEvaluation): AsyncGenerator<StoredPart> {
  const concerned = await listWorkflowsWithMissing(evaluation.store);
  for await (const { readParts, ...work } of listWork(evaluation)) {
    if (!concerned.has(work.workflowId)) continue;
    const calls = await readStoredCalls(evaluation, work.workflowId);
    for (const part of await readParts(calls)) yield { ...work, ...part, calls };
  }
}

function listMissing({ name, workflowId, calls, foundCalls }: StoredPart): CallMissing[] {
  return foundCalls.flatMap(({ step, turn, revision, result, attempt = 0 }) => {
    if (result.state !== 'missing') return [];
    const { kind, cause } = result.missing;
    const attempts = kind === 'bad-answers' ? attempt + 1 : attempt;
    return [{ step, turn, kind, cause, attempts, name, workflowId, revision, calls }];
  });
}

/** Returns each call once: several cells may depend on it. */
function removeDuplicates(calls: readonly CallMissing[]): CallMissing[] {
  const keyOf = (call: CallMissing) => `${call.workflowId} ${formatCallPlace(call)}`;
  return [...new Map(calls.map((call) => [keyOf(call), call])).values()];
}

function formatNotMissing(name: string, missing: readonly string[]): string {
  if (missing.length === 0) return `${name}: no call is missing there or anywhere else.`;
  return `${name}: no call is missing there. Calls are missing in: ${formatFirst(missing, 20)}.`;
}
