import { HISTORY_FORMS, type HistoryForm } from '../../schemas/evaluation/context';
import { STEPS, type Step } from '../../schemas/run/step';

/** Identifies one model call of a run. A repeated call with the same key is answered from the journal. */
export interface CallKey {
  /** The work that the call belongs to: a workflow, or a part of one, such as a persona's dialogue or an evaluation's trial. */
  readonly workflowId: string;
  /** Number of times that `cupid retry` has restarted this work: `r` in the key, `revision` in stored files and activity inputs. */
  readonly revision: number;
  readonly step: Step;
  /**
   * Position of the call in its step: a dialogue's turn, or a preference's number. For a batch of descriptions, which belongs to the run's
   * workflow, the number of its first persona. In evaluation, the evaluators (rules/method/evaluation-work.ts).
   */
  readonly turn: number | string;
  /** Our own count of attempts, from 0; never Temporal's attempts. */
  readonly attempt: number;
}

/** Returns the key as text, such as `run-1/p17/s3#r0.user.t4.a0`. Texts of different keys differ. */
export function buildJournalKey({ workflowId, revision, step, turn, attempt }: CallKey): string {
  return `${workflowId}#r${revision}.${step}.t${turn}.a${attempt}`;
}

/** A parsed journal key. Its turn stays text. */
export interface ParsedKey<Name extends Step = Step> extends CallKey {
  readonly step: Name;
  readonly turn: string;
}

/** Parses a key from `buildJournalKey`; undefined for any other text. */
export function parseJournalKey(text: string): ParsedKey | undefined {
  const parts = KEY.exec(text)?.groups;
  const step = STEPS.find((name) => name === parts?.['step']);
  if (parts === undefined || step === undefined) return undefined;
  const { workflowId = '', turn = '', revision, attempt } = parts;
  return { workflowId, revision: Number(revision), step, turn, attempt: Number(attempt) };
}

/** Parses the key of a call of one of these steps; undefined for any other key. */
export function parseStepKey<Name extends Step>(
  key: string,
  steps: readonly Name[],
): ParsedKey<Name> | undefined {
  const call = parseJournalKey(key);
  const step = steps.find((name) => name === call?.step);
  return call === undefined || step === undefined ? undefined : { ...call, step };
}

const KEY = /^(?<workflowId>.*)#r(?<revision>\d+)\.(?<step>[a-z]+)\.t(?<turn>.*)\.a(?<attempt>\d+)$/s;

/** Returns the id of a persona's workflow in a run. */
export function buildPersonaWorkflowId(run: string, persona: number): string {
  return `${run}/p${persona}`;
}

/** Returns the id of one dialogue in its persona's workflow. */
export function buildDialogueId(run: string, persona: number, session: number): string {
  return `${buildPersonaWorkflowId(run, persona)}/s${session}`;
}

/** Lists the workflows of a persona: its own, and those of its dialogues; the last session has none. */
export function listPersonaWorkflows(run: string, persona: number, nSessions: number): string[] {
  const dialogues = Array.from({ length: nSessions - 1 }, (_, at) => buildDialogueId(run, persona, at + 1));
  return [buildPersonaWorkflowId(run, persona), ...dialogues];
}

/** The unit of synthesis that a call belongs to: a dialogue, a persona, or the run itself. */
export interface SynthesisWork {
  readonly persona?: number | undefined;
  readonly session?: number | undefined;
}

/** Returns the id of this work, with which its journal keys begin. */
export function buildWorkId(run: string, { persona, session }: SynthesisWork): string {
  if (persona === undefined) return run;
  return session === undefined
    ? buildPersonaWorkflowId(run, persona)
    : buildDialogueId(run, persona, session);
}

/** Returns the id of the evaluation of one model on one instance in one context, with which its journal keys begin. */
export function buildTrialId(run: string, { instance, model, context }: TrialKey): string {
  return `${run}/i${instance}/m${model}/${context}`;
}

/** Returns the context of a trial, from its id; undefined for any other id. */
export function parseTrialContext(workflowId: string): HistoryForm | undefined {
  const text = TRIAL.exec(workflowId)?.groups?.['context'];
  return HISTORY_FORMS.find((context) => context === text);
}

const TRIAL = /\/i\d+\/m\d+\/(?<context>[^/]+)$/;

/** Returns the id of the workflow that controls a run and its budget. */
export function buildControlWorkflowId(run: string): string {
  return `${run}/control`;
}

/** Returns the id of the workflow that answers calls of a run in batches. */
export function buildBatchesWorkflowId(run: string): string {
  return `${run}/batches`;
}

/** Returns the id of the workflow that keeps a model's limits for all runs of an engine. */
export function buildLimitsWorkflowId(spec: string): string {
  return `${LIMITS}${spec}`;
}

const LIMITS = 'cupid-limits/';

/** Identifies a trial in its run. */
export interface TrialKey {
  /** The instance's row in the data set, from 1. */
  readonly instance: number;
  /** The model's number in the run, from 1. */
  readonly model: number;
  readonly context: HistoryForm;
}

/** Identifies a step's accepted answer, as `revision.attempt`. It is short, because a dialogue passes on two for every turn. */
export type AnswerRef = string;

export function buildAnswerRef(revision: number, attempt: number): AnswerRef {
  return `${revision}.${attempt}`;
}

/** Returns the journal key of a referenced answer. */
export function buildRefKey(workflowId: string, step: Step, turn: CallKey['turn'], ref: AnswerRef): string {
  const [revision, attempt] = ref.split('.').map(Number);
  if (revision === undefined || attempt === undefined) throw new Error(`"${ref}" is not an answer's ref.`);
  return buildJournalKey({ workflowId, revision, step, turn, attempt });
}

/** Returns the first attempt of the sample that contains this one. A sample has a first attempt, and at most `maxRepairs` repairs. */
export function computeSampleStart(attempt: number, maxRepairs: number): number {
  return attempt - (attempt % (maxRepairs + 1));
}
