import { REJECTED } from '../../engine/journal/failed-work';
import type { AnswerRef, TrialKey } from '../../engine/journal/key';
import { countDataStates } from '../../schemas/evaluation/data-state';
import type { EvaluatedData, EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import type { VerificationWork } from '../../schemas/evaluation/studies';
import type { MemoryErrorKind } from '../../schemas/evaluation/memory-error';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { EvaluationSteps } from '../../schemas/run/settings';
import type { EvaluationStep } from '../../schemas/run/step';
import { countRetries, getSpec, type RetriedCalls } from './evaluation-work';
import { ask, type AcceptedAnswer } from './ask';
import { CallsFailed, type Call, type CallFailure, type Script } from './script';

/** Inputs of the scripts of an evaluation, besides the answers. */
export interface EvaluationScriptPlan {
  /** The evaluation's id. */
  readonly run: string;
  /** In the order of the evaluation's inputs, numbered from 1. */
  readonly models: readonly string[];
  readonly evaluators: readonly string[];
  readonly steps: EvaluationSteps;
  /** SPEC of the memory system; absent without one. */
  readonly memory?: string;
  /** The state of the data that this is about; absent for the first one. */
  readonly dataState?: number;
}

/** Returns the plan of an evaluation. */
export function buildPlan({
  id,
  models,
  evaluators,
  settings,
  memory,
  data,
}: PlanInputs): EvaluationScriptPlan {
  const state = countDataStates(data);
  return {
    run: id,
    models,
    evaluators,
    steps: settings.steps,
    ...omitUndefined({ memory: memory?.spec, dataState: state === 1 ? undefined : state }),
  };
}

export type PlanInputs = Pick<EvaluationInputs, 'id' | 'models' | 'evaluators' | 'settings' | 'memory'> & {
  readonly data: Pick<EvaluatedData, 'earlier'>;
};

/** The run that an activity works for, and the state of its data. */
export type PlannedRun = Pick<EvaluationScriptPlan, 'run' | 'dataState'>;

export function getPlannedRun({ run, dataState }: PlannedRun): PlannedRun {
  return { run, ...omitUndefined({ dataState }) };
}

/** A history as it is shown to a model under test. */
export interface HistoryRefs {
  readonly trial: TrialKey;
  /** Present if the trial is given summaries of the model's own, or the context of a memory system. */
  readonly prepared?: AnswerRef;
  /** Whether the trial has several tasks, so that several requests contain the same history. */
  readonly isShared: boolean;
}

/** An inferred preference. */
export interface InferenceRefs {
  readonly trial: TrialKey;
  readonly inference: AnswerRef;
}

/** A persona under verification, by the rows of its instances. */
export type VerifiedRefs = Pick<VerificationWork, 'rows' | 'verifier' | 'round'>;

/** A call about a persona that is verified. */
export interface VerifiedCall {
  readonly verified: VerifiedRefs;
  /** The number of the request that the call is about, from 1; otherwise 1. */
  readonly turn: number;
}

/** A call of a step, with its place. */
export interface PlacedStep<S extends EvaluationStep = EvaluationStep> extends Call {
  readonly step: S;
  /** The SPEC of the model that is asked. */
  readonly spec: string;
}

/** The piece of work that calls belong to: a trial, or a piece of a study. */
interface EvaluationWorkPlace extends RetriedCalls {
  readonly workflowId: string;
}

/** Returns the place of a call of evaluation, in the revision that follows from its retries. */
export function placeStep<S extends EvaluationStep, T extends number | string>(
  { workflowId, revisions }: EvaluationWorkPlace,
  step: S,
  turn: T,
  spec: string,
): PlacedStep<S> & { readonly turn: T } {
  return { workflowId, step, turn, revision: countRetries({ step, turn }, revisions), spec };
}

/** Returns the SPEC of a model that evaluates, by its number. */
export function getEvaluator({ evaluators }: EvaluationScriptPlan, number: number): string {
  return getSpec(evaluators, number);
}

/** A call that has ended, with the accepted answer or without a usable one. */
type EndedCall<C extends PlacedStep = PlacedStep> =
  | { readonly call: C; readonly ref: AnswerRef }
  | CallFailure<C>;

/** Result of a piece of work of an evaluation. */
export interface WorkResult<C extends PlacedStep = PlacedStep> {
  /** Every call that was asked for, in the order in which they ended. */
  readonly calls: readonly EndedCall<C>[];
  /** Calls whose models gave no usable answer. */
  readonly missing: readonly CallFailure<C>[];
}

/**
 * Asks for calls of one piece of work. If a model gives no usable answer, its score is missing until `cupid retry` retries the call, and
 * everything else continues. Any other failure ends the script with CallsFailed and leaves the work open.
 */
export class Asker<Any extends PlacedStep> {
  readonly calls: EndedCall<Any>[] = [];

  constructor(private readonly plan: EvaluationScriptPlan) {}

  /** Asks for a call; undefined when its answer is missing. @throws CallsFailed */
  *need<C extends Any>(call: C): Script<AcceptedAnswer<C['step']> | undefined, C> {
    try {
      const answer = yield* ask(this.plan.steps[call.step], call);
      this.calls.push({ call, ref: answer.ref });
      return answer;
    } catch (error) {
      if (!(error instanceof CallsFailed) || !error.failures.every(({ kind }) => LEAVES_A_GAP.has(kind))) {
        throw error;
      }
      this.calls.push(...error.failures.map((failure) => ({ ...failure, call })));
      return undefined;
    }
  }

  /** Returns the calls whose models gave no usable answer. */
  get missing(): CallFailure<Any>[] {
    return this.calls.filter((call) => 'kind' in call);
  }
}

/** The kind of an attempt that was not made yet. Readers use it to read everything that does not depend on the attempt. */
export const OPEN = 'open';

/** The kind of a choice that cannot be asked for, because the data set does not show the options. */
export const NO_OPTIONS = 'no-options';

/** Failures that a model, or a memory system, caused and would cause again. A malformed request is none: it may be one of many, and the fix is on our side. */
const LEAVES_A_GAP: ReadonlySet<string> = new Set([
  'bad-answers',
  'refused',
  REJECTED,
  'context-length',
  'window-exceeded',
  'memory-failed' satisfies MemoryErrorKind,
  NO_OPTIONS,
  OPEN,
]);
