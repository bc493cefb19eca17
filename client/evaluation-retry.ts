import { readStudies } from '../data/evaluation-plan';
import { keptCalls, reopenCall, workflowsWithMissing } from '../data/kept-calls';
import type { EvaluationPlan } from '../data/evaluation-plan';
import { trialWorkflowId } from '../rules/journal-key';
import {
  callsOfCell,
  callsOfStudy,
  isAskedAgain,
  isTooLong,
  OWN_STEPS,
  type KeptCalls,
  type Looked,
} from '../rules/outcomes';
import { callPlace, specOf, studyWorkflowId, trialsOf } from '../rules/trials';
import type { Cell, MissingCall } from '../schemas/evaluation';
import {
  STUDY_KINDS,
  type EvaluationFile,
  type EvaluationInputs,
  type StudyKind,
  type StudyWork,
} from '../schemas/evaluation-run';
import type { EvaluationStep } from '../schemas/step';
import { evaluatorsOf } from './evaluation-inputs';
import type { KeptEvaluation } from './evaluation-rows';
import type { Refused } from './restarts';
import { writeRunFile, type RunFolder } from './run-folder';

/** A call of an evaluation that gave nothing that could be used. */
export interface CallMissing extends MissingCall {
  /** The workflow as `cupid retry --only` takes it, such as `i3/m1/full`. */
  readonly name: string;
  readonly workflowId: string;
  /** How often it was asked for another time before. */
  readonly generation: number;
  /** All that is kept of its workflow. */
  readonly calls: KeptCalls;
}

/** What a command has asked for another time. */
export interface PlannedCalls {
  readonly again: readonly CallMissing[];
  /** True when an earlier command began with something that is still open: it is gone on with. */
  readonly begun: boolean;
  /** The studies that have calls among these. */
  readonly studies: readonly StudyKind[];
  /** The SPECs of all who are asked. */
  readonly models: readonly string[];
}

/** The calls that gave nothing usable and that a cell or a study hangs on, each once: by trial, then by study. */
export async function missingCalls(kept: KeptEvaluation): Promise<CallMissing[]> {
  const missing: CallMissing[] = [];
  for await (const part of partsWithMissing(kept)) missing.push(...missingIn(part));
  return distinct(missing);
}

/**
 * What `cupid retry` asks for another time: the calls for which a score or a study lacks something. Where the model under test
 * could not take the history in, nothing is missing, and it is asked only where it is named.
 * @param only names of workflows, as `cupid failures` lists them, or their ids; absent for all
 */
export async function planMissingCalls(
  kept: KeptEvaluation,
  only: readonly string[] | undefined,
): Promise<PlannedCalls | Refused> {
  const { id } = kept.inputs;
  const named = only?.map((text) => (text.startsWith(`${id}/`) ? text.slice(id.length + 1) : text));
  const again: CallMissing[] = [];
  const found = new Set<string>();
  const begun = new Set<string>();
  const studies = new Set<StudyKind>();
  const models = new Set<string>();
  for await (const part of partsWithMissing(kept)) {
    const missing = missingIn(part);
    if (missing.length > 0) found.add(part.name);
    const isBegun = isAskedAgain(part.looked);
    if (isBegun) begun.add(part.name);
    const chosen = missing.filter((call) =>
      named === undefined ? !isTooLong(call) : named.includes(call.name),
    );
    again.push(...chosen);
    if (!isBegun && chosen.length === 0) continue;
    if (part.study !== undefined) studies.add(part.study);
    for (const {
      step,
      found: { state },
    } of part.looked) {
      if (state !== 'given') for (const spec of part.asked(step)) models.add(spec);
    }
  }
  const strange = named?.find((name) => !found.has(name) && !begun.has(name));
  if (strange !== undefined) return { problem: notMissing(strange, [...found]) };
  return {
    again: distinct(again),
    begun: begun.size > 0,
    studies: STUDY_KINDS.filter((kind) => studies.has(kind)),
    models: [...models],
  };
}

/**
 * Has the calls be open again. To be called under the folder's lock; a crash in between leaves some of them open, which either
 * the same command or the evaluation's own then goes on with.
 */
export async function reopenCalls(
  folder: RunFolder<EvaluationFile, EvaluationPlan>,
  again: readonly CallMissing[],
): Promise<void> {
  const { run, store } = folder;
  // Known to no engine: whatever becomes of this command, the next one has it told anew.
  if (run !== undefined && again.length > 0) {
    await writeRunFile(folder, { ...run, state: 'running', codeVersion: 'none' });
  }
  for (const call of again) await reopenCall(store, call.workflowId, call, call.generation);
}

/** A cell of a trial, or a piece of a study, and the calls it hangs on. */
interface Part {
  readonly name: string;
  readonly workflowId: string;
  readonly study?: StudyKind;
  readonly calls: KeptCalls;
  readonly looked: readonly Looked[];
  /** The SPECs of those who are asked when a call of this step is asked, and what follows from it. */
  readonly asked: (step: EvaluationStep) => readonly string[];
}

/** Everything whose workflow has, or had, a call that gave nothing usable. */
async function* partsWithMissing(kept: KeptEvaluation): AsyncGenerator<Part> {
  const { inputs, index, store } = kept;
  const concerned = await workflowsWithMissing(store);
  const partOf = async (workflowId: string) => ({
    name: workflowId.slice(inputs.id.length + 1),
    workflowId,
    calls: await keptCalls(kept, workflowId),
  });
  for (const trial of trialsOf(inputs, index)) {
    const workflowId = trialWorkflowId(inputs.id, trial);
    if (!concerned.has(workflowId)) continue;
    const part = await partOf(workflowId);
    const { instance } = await kept.instance(trial.instance);
    for (const cell of trial.cells) {
      const looked = callsOfCell(inputs, cell, instance, part.calls);
      yield { ...part, looked, asked: (step) => askedFrom(cell, step) };
    }
  }
  const studies = await readStudies(store);
  for (const study of STUDY_KINDS) {
    for (const work of studies[study]?.work ?? []) {
      const workflowId = studyWorkflowId(inputs.id, work);
      if (!concerned.has(workflowId)) continue;
      const part = await partOf(workflowId);
      const looked = callsOfStudy(inputs, work, part.calls);
      yield { ...part, study, looked, asked: () => [evaluatorOf(inputs, work)] };
    }
  }
}

function missingIn({ name, workflowId, calls, looked }: Part): CallMissing[] {
  return looked.flatMap(({ turn, generation, found }) =>
    found.state === 'missing' ? [{ ...found.missing, turn, name, workflowId, generation, calls }] : [],
  );
}

/** Several cells may hang on the same call. */
function distinct(calls: readonly CallMissing[]): CallMissing[] {
  const keyOf = ({ workflowId, step, turn }: CallMissing) => `${workflowId} ${callPlace(step, turn)}`;
  return [...new Map(calls.map((call) => [keyOf(call), call])).values()];
}

function askedFrom(cell: Cell, step: EvaluationStep): string[] {
  if (OWN_STEPS.has(step)) return [cell.model, ...evaluatorsOf(cell)];
  return step === 'match' && cell.task === 'inference' ? [cell.matcher.spec] : evaluatorsOf(cell);
}

function evaluatorOf({ evaluators }: EvaluationInputs, work: StudyWork): string {
  if (work.kind === 'pair') return specOf(evaluators, work.matcher.number);
  return specOf(evaluators, work.kind === 'error' ? work.labeller : work.judge);
}

function notMissing(name: string, missing: readonly string[]): string {
  if (missing.length === 0) return `${name}: no call of it is missing, nor of anything else.`;
  const shown = missing.slice(0, 20).join(', ');
  return `${name}: no call of it is missing. Calls are missing of: ${shown}${missing.length > 20 ? ', …' : ''}.`;
}
