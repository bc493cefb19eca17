import type { HistoryForm } from '../../schemas/evaluation/context';
import { STEPS, type Step } from '../../schemas/run/step';

/** What names one model call of a run: asked again under the same key, it is answered from the journal. */
export interface CallKey {
  /** The work that the call belongs to: a workflow, or a dialogue in the workflow of its persona. */
  readonly workflowId: string;
  /** How many times `cupid retry` has started this work over: `g` in the key, `generation` in stored files and activity inputs. */
  readonly revision: number;
  readonly step: Step;
  /**
   * Which call of the step: a dialogue's turn, a preference's number; for a batch of descriptions, which belongs to the run's
   * own workflow, the id of its first persona; in evaluation, who evaluates what (rules/trials/trials.ts).
   */
  readonly turn: number | string;
  /** Our own count of askings, from 0; never Temporal's attempts. */
  readonly ask: number;
}

/** Returns the key as text, such as `run-1/p17/s3#g0.user.t4.a0`; different keys give different texts. */
export function buildJournalKey({ workflowId, revision, step, turn, ask }: CallKey): string {
  return `${workflowId}#g${revision}.${step}.t${turn}.a${ask}`;
}

/** A journal key in its parts; its turn is text, as the key has it. */
export interface ParsedKey<Name extends Step = Step> extends CallKey {
  readonly step: Name;
  readonly turn: string;
}

/** Returns the parts of a key that `buildJournalKey` built; undefined for any other text. */
export function parseJournalKey(text: string): ParsedKey | undefined {
  const parts = KEY.exec(text)?.groups;
  const step = STEPS.find((one) => one === parts?.['step']);
  if (parts === undefined || step === undefined) return undefined;
  const { workflowId = '', turn = '', revision, ask } = parts;
  return { workflowId, revision: Number(revision), step, turn, ask: Number(ask) };
}

/** Returns the call of one of these steps that a key names; undefined for any other key. */
export function parseStepKey<Name extends Step>(
  key: string,
  steps: readonly Name[],
): ParsedKey<Name> | undefined {
  const call = parseJournalKey(key);
  const step = steps.find((one) => one === call?.step);
  return call === undefined || step === undefined ? undefined : { ...call, step };
}

const KEY = /^(?<workflowId>.*)#g(?<revision>\d+)\.(?<step>[a-z]+)\.t(?<turn>.*)\.a(?<ask>\d+)$/s;

/** Returns the id of a persona's workflow in a run. */
export function buildPersonaWorkflowId(run: string, persona: number): string {
  return `${run}/p${persona}`;
}

/** Returns the id of one dialogue in its persona's workflow. */
export function buildDialogueId(run: string, persona: number, session: number): string {
  return `${buildPersonaWorkflowId(run, persona)}/s${session}`;
}

/** What a call of synthesis belongs to: a dialogue, a persona, or the run itself. */
export interface SynthesisWork {
  readonly persona?: number | undefined;
  readonly session?: number | undefined;
}

/** Returns the id of this work, which its journal keys begin with. */
export function buildWorkId(run: string, { persona, session }: SynthesisWork): string {
  if (persona === undefined) return run;
  return session === undefined
    ? buildPersonaWorkflowId(run, persona)
    : buildDialogueId(run, persona, session);
}

/** Returns the id of the workflow that evaluates one model on one instance, given so much of the history. */
export function buildTrialWorkflowId(run: string, { instance, model, given }: TrialKey): string {
  return `${run}/i${instance}/m${model}/${given}`;
}

/** Returns the id of the workflow that steers a run and keeps its budget. */
export function buildControlWorkflowId(run: string): string {
  return `${run}/control`;
}

/** Returns the id of the workflow that has batches answer calls of a run. */
export function buildBatchesWorkflowId(run: string): string {
  return `${run}/batches`;
}

/** Returns the id of the workflow that keeps the limits of a model, for all runs of an engine. */
export function buildLimitsWorkflowId(spec: string): string {
  return `${LIMITS}${spec}`;
}

const LIMITS = 'cupid-limits/';

/** What names a trial in its run. */
export interface TrialKey {
  /** The instance's row in the data set, from 1. */
  readonly instance: number;
  /** The model's number in the run, from 1. */
  readonly model: number;
  readonly given: HistoryForm;
}

/** Which of a step's answers counts: `revision.ask`. Short, since a dialogue carries two for every turn so far. */
export type AnswerRef = string;

export function buildAnswerRef(revision: number, ask: number): AnswerRef {
  return `${revision}.${ask}`;
}

/** Returns the journal key of the answer that a reference names. */
export function buildRefKey(workflowId: string, step: Step, turn: CallKey['turn'], ref: AnswerRef): string {
  const [revision, ask] = ref.split('.').map(Number);
  if (revision === undefined || ask === undefined) throw new Error(`"${ref}" is not an answer's ref.`);
  return buildJournalKey({ workflowId, revision, step, turn, ask });
}

/** Returns the first ask of the sample that an ask belongs to, when a sample is asked `asks` times at the most. */
export function computeSampleStart(ask: number, asks: number): number {
  return Math.floor(ask / asks) * asks;
}
