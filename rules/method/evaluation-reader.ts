import {
  buildAnswerRef,
  buildJournalKey,
  buildRefKey,
  type AnswerRef,
  type TrialKey,
} from '../../engine/journal/key';
import type { Instance } from '../../schemas/dataset/instance';
import type { Cell, MissingCall, StoredCalls } from '../../schemas/evaluation/evaluation';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { PairWork, StudyWork } from '../../schemas/evaluation/studies';
import type { EvaluationStep } from '../../schemas/run/step';
import { buildTrialWork, type RetriedCalls } from './evaluation-work';
import { listPersonaQuestions, type VerifiedInstance } from './verification-questions';
import { buildPlan, OPEN, type PlanInputs, type PlacedStep, type WorkResult } from './evaluation-calls';
import type { ChoiceOption } from '../choice/options';
import type { EvaluationCall } from './evaluation-rules';
import { buildCallRules, type AnswerValues, type CallSubject } from './evaluation-rules';
import { judgeAnswer } from './judge';
import { getNextSample, SKIPPED } from './reader';
import { followScriptSync, type Attempt, type AttemptOutcome, type Script } from './script';
import { conductStudy } from './study';
import { evaluateTrial } from './trial';

/** Result of one call: its answer, why there is none, or that it is open. */
export type CallResult<T> =
  | { readonly state: 'given'; readonly value: T; readonly ref: AnswerRef; readonly model: string }
  | { readonly state: 'missing'; readonly missing: MissingCall }
  | { readonly state: 'open' };

/** A call of a piece of work, with its result. */
export interface FoundCall<S extends EvaluationStep = EvaluationStep> {
  readonly step: S;
  readonly turn: string;
  /** How often it was retried. */
  readonly revision: number;
  readonly result: CallResult<AnswerValues[S]>;
  /** Last attempt of a call without an answer, from 0. */
  readonly attempt?: number;
}

/** Subject of a trial. */
export interface TrialSubject {
  readonly instance: Instance;
  /** Present if a cell of the trial is a choice. */
  readonly options?: readonly ChoiceOption[];
}

/**
 * Returns the known calls that one cell of a trial depends on. Calls after an open or missing one are not known.
 * @param calls stored calls of the trial
 */
export function readCell(
  inputs: PlanInputs,
  { instance: row, model, context }: TrialKey,
  cell: Cell,
  subject: TrialSubject,
  calls: StoredCalls,
): FoundCall[] {
  const work = buildTrialWork(inputs, { instance: row, model, context, cells: [cell] });
  const script = evaluateTrial(buildPlan(inputs), { ...work, ...listRetried(calls) });
  return readScriptCalls(script, inputs.settings, subject, calls);
}

/** Subject of a piece of a study, besides the answers of a trial. */
interface StudySubject {
  /** Present for a verification. */
  readonly persona?: readonly VerifiedInstance[];
  /** Present for a pair that people have labeled. */
  readonly pair?: Pick<PairWork, 'checklist'>;
}

/** Returns the known calls of a piece of a study. */
export function readStudy(
  inputs: PlanInputs,
  work: StudyWork,
  { persona, ...subject }: StudySubject,
  calls: StoredCalls,
): FoundCall[] {
  const questions = persona === undefined ? {} : { questions: listPersonaQuestions(persona) };
  const script = conductStudy(buildPlan(inputs), { ...work, ...listRetried(calls) });
  return readScriptCalls(script, inputs.settings, { ...subject, ...questions }, calls);
}

/** Returns the calls of one step. */
export function listCallsOf<S extends EvaluationStep>(calls: readonly FoundCall[], step: S): FoundCall<S>[] {
  return calls.filter((call): call is FoundCall<S> => call.step === step);
}

/** Returns the values of the answers to calls of this step. */
export function listValues<S extends EvaluationStep>(
  calls: readonly FoundCall[],
  step: S,
): AnswerValues[S][] {
  return listCallsOf(calls, step).flatMap((call) =>
    call.result.state === 'given' ? [call.result.value] : [],
  );
}

export function isOpen({ result }: Pick<FoundCall, 'result'>): boolean {
  return result.state === 'open';
}

/** Returns true if results that depend on these calls are open because one of them is retried. */
export function isRetried(calls: readonly FoundCall[]): boolean {
  return calls.some(({ revision }) => revision > 0) && calls.some(isOpen);
}

/** Returns the revisions of a workflow's calls, for its script. */
export function listRetried({ revisions }: StoredCalls): RetriedCalls {
  return revisions === undefined ? {} : { revisions };
}

/** Follows a script by its stored calls. An attempt that was not made leaves everything that depends on it open. */
function readScriptCalls(
  script: Script<WorkResult, EvaluationCall>,
  settings: EvaluationSettings,
  subject: CallSubject,
  calls: StoredCalls,
): FoundCall[] {
  const answeredCalls = new Map<string, FoundCall>();
  const read = createAnswerReader(settings, subject, calls, answeredCalls);
  const { missing } = calls;
  return followScriptSync(script, (attempt) => read(attempt) ?? UNMADE).calls.flatMap(
    (endedCall): FoundCall | [] => {
      const { call } = endedCall;
      const place = placeOf(call);
      if ('ref' in endedCall)
        return answeredCalls.get(buildRefKey(call.workflowId, call.step, call.turn, endedCall.ref)) ?? [];
      const note = findNote(missing, place);
      // If there is no note, the work has not ended, whatever the answers so far.
      const result: FoundCall['result'] =
        note === undefined ? { state: 'open' } : { state: 'missing', missing: note };
      return { ...place, result, attempt: endedCall.number };
    },
  );
}

const UNMADE = { state: 'unanswered', kind: OPEN } as const satisfies AttemptOutcome;

/** An attempt of a piece of work: stored, or made next if every call before it is answered well. */
export interface ExpectedAttempt {
  readonly call: EvaluationCall;
  readonly isStored: boolean;
  /** False if an answer that may be empty, of a call that is left, can make it needless. */
  readonly isCertain: boolean;
}

/** Lists the attempts of a piece of work to its end, stored ones and those that are left. */
export function expectWork(
  begin: () => Script<WorkResult, EvaluationCall>,
  settings: EvaluationSettings,
  subject: CallSubject,
  calls: StoredCalls,
): ExpectedAttempt[] {
  const expected = followToEnd(begin(), settings, subject, calls, false);
  // Thousands of trials are followed at a start, nearly all without such an answer.
  const certain = expected.some(({ call }) => mayBeEmpty(call, settings))
    ? followToEnd(begin(), settings, subject, calls, true)
    : expected;
  const keys = new Set(certain.map(({ key }) => key));
  return expected.map(({ key, ...attempt }) => ({ ...attempt, isCertain: keys.has(key) }));
}

/**
 * Finds the attempts of a piece of work whose every call was answered well at once; undefined for other work, whose answers must be read.
 * @param isGood returns true for the key of a good answer
 */
export function findAnswered(
  script: Script<WorkResult, EvaluationCall>,
  isGood: (key: string) => boolean,
): ExpectedAttempt[] | undefined {
  const attempts: ExpectedAttempt[] = [];
  let isAnswered = true;
  followScriptSync(script, ({ call, number: attempt }) => {
    isAnswered &&= isGood(buildJournalKey({ ...call, attempt }));
    attempts.push({ call, isStored: true, isCertain: true });
    // After an empty answer, the keys of later calls are missing.
    return { state: 'good', facts: { isEmpty: false } };
  });
  return isAnswered ? attempts : undefined;
}

/** Returns true for a call whose answer may be empty, which makes calls that depend on it needless. */
function mayBeEmpty(
  { step }: Pick<EvaluationCall, 'step'>,
  { referenceCompatible }: Pick<EvaluationSettings, 'referenceCompatible'>,
): boolean {
  return step === 'guess' || (step === 'infer' && referenceCompatible);
}

/** @param isEmpty whether answers that may be empty are, of calls that are left */
function followToEnd(
  script: Script<WorkResult, EvaluationCall>,
  settings: EvaluationSettings,
  subject: CallSubject,
  calls: StoredCalls,
  isEmpty: boolean,
): (Pick<ExpectedAttempt, 'call' | 'isStored'> & { readonly key: string })[] {
  const attempts: ReturnType<typeof followToEnd> = [];
  const stored = new Set(calls.entries.map(({ key }) => key));
  const read = createAnswerReader(settings, subject, calls, new Map());
  const assume = (call: EvaluationCall): AttemptOutcome => ({
    state: 'good',
    facts: { isEmpty: isEmpty && mayBeEmpty(call, settings) },
  });
  let isComplete = true;
  followScriptSync(script, (attempt) => {
    const { call } = attempt;
    const key = buildJournalKey({ ...call, attempt: attempt.number });
    const isStored = stored.has(key);
    // An answer that is stored after a call that is left cannot be judged without the answer to that call.
    const outcome = isStored && !isComplete ? assume(call) : read(attempt);
    if (outcome !== undefined) {
      if (isStored) attempts.push({ call, key, isStored });
      return outcome;
    }
    if (findNote(calls.missing, placeOf(call)) !== undefined) return UNMADE;
    isComplete = false;
    attempts.push({ call, key, isStored });
    return assume(call);
  });
  return attempts;
}

function findNote(
  missing: StoredCalls['missing'],
  { step, turn }: Pick<FoundCall, 'step' | 'turn'>,
): MissingCall | undefined {
  return missing.find((missingCall) => missingCall.step === step && missingCall.turn === turn);
}

/**
 * Creates a function that returns the outcome of an attempt by its stored answer; undefined for an attempt that was not made.
 * @param answeredCalls receives the usable answers, by journal key
 */
function createAnswerReader(
  { referenceCompatible, steps }: EvaluationSettings,
  subject: CallSubject,
  { entries }: StoredCalls,
  answeredCalls: Map<string, FoundCall>,
): (attempt: Attempt<EvaluationCall>) => AttemptOutcome | undefined {
  const stored = new Map(entries.map((entry) => [entry.key, entry]));
  return ({ call, number: attempt }) => {
    const key = buildJournalKey({ ...call, attempt });
    const entry = stored.get(key);
    const { maxRepairs, maxTokens } = steps[call.step];
    if (entry === undefined) {
      const sample = getNextSample({ call, number: attempt }, { maxRepairs });
      return sample !== undefined && stored.has(sample) ? SKIPPED : undefined;
    }
    // One cell is read at a time, so there is at most one checklist.
    const [decomposed] = listValues([...answeredCalls.values()], 'decompose');
    const rules = buildCallRules(call, referenceCompatible, { ...subject, decomposed });
    const { outcome, value } = judgeAnswer(entry, { step: call.step, attempt }, rules, maxTokens);
    if (value !== undefined) {
      const { model } = entry.answer;
      const result = { state: 'given', value, ref: buildAnswerRef(call.revision, attempt), model } as const;
      answeredCalls.set(key, { ...placeOf(call), result });
    }
    return outcome;
  };
}

function placeOf({ step, turn, revision }: PlacedStep): Pick<FoundCall, 'step' | 'turn' | 'revision'> {
  return { step, turn: String(turn), revision };
}
