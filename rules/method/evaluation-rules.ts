import type { Instance } from '../../schemas/dataset/instance';
import type { Checklist } from '../../schemas/dataset/session';
import type { ErrorType, SessionSummary } from '../../schemas/evaluation/evaluation';
import type { MatchLabel } from '../../schemas/matching/match-label';
import { recalledSchema, type Recalled } from '../../schemas/evaluation/memory';
import type { PairWork } from '../../schemas/evaluation/studies';
import { mapValues } from '../../schemas/map-values';
import {
  CHECKLIST_STEP_FACTS,
  EVALUATION_STEPS,
  type ChecklistStep,
  type EvaluationStep,
} from '../../schemas/run/step';
import { checkChoice } from '../answers/evaluation/choice';
import { checkErrorType } from '../answers/evaluation/error-type';
import { checkInference } from '../answers/evaluation/inference';
import { checkJudgement, type Judgement } from '../answers/evaluation/judgement';
import { checkMatch } from '../answers/evaluation/match';
import {
  parseReferenceChecklist,
  parseReferenceInference,
  parseReferenceMatch,
  parseReferenceScore,
} from '../answers/evaluation/reference';
import { checkSummary } from '../answers/evaluation/summary';
import type { ChoiceOption } from '../choice/options';
import { accept, checkText, type CheckResult } from '../answers/form/checks';
import { checkChecklist } from '../answers/synthesis/checklist';
import { checkContradictions, type Contradiction } from '../answers/verification/contradiction';
import { checkExpressions, type Expression } from '../answers/verification/expressions';
import { checkGuess } from '../answers/verification/guess';
import { getGuessQuestion, type PersonaQuestions } from './verification-questions';
import { buildRules, type AnswerRules } from './judge';
import type { StudyCall } from './study';
import type { TrialCall } from './trial';

/** A call of evaluation, with the references that its request is built from. */
export type EvaluationCall = TrialCall | StudyCall;

/** A call of evaluation of one step. */
export type EvaluationCallOf<Step extends EvaluationCall['step']> = Extract<
  EvaluationCall,
  { readonly step: Step }
>;

/** Values of usable answers, by step. */
export interface AnswerValues extends Readonly<Record<ChecklistStep, Checklist>> {
  readonly summarize: SessionSummary[];
  readonly recall: Recalled;
  /** Empty only if answers are read as the reference reads them. */
  readonly infer: string;
  /** Index of the chosen option. */
  readonly choose: number;
  readonly match: MatchLabel[];
  readonly respond: string;
  readonly judge: Judgement;
  readonly classify: { readonly type: ErrorType; readonly explanation: string };
  /** For each preference, its items. */
  readonly express: Expression[][];
  /** Empty if a request reveals nothing. */
  readonly guess: string;
  /** For each pair of preferences. */
  readonly contradict: Contradiction[];
}

type AnswerValue = AnswerValues[EvaluationStep];

/** Subject of a call, as far as the rules of its answers need it. */
export interface CallSubject {
  /** Present for a call of a trial. */
  readonly instance?: Instance;
  /** Present for a choice, and empty if there are none. */
  readonly options?: readonly ChoiceOption[] | undefined;
  /** Present for a match that labels an inferred checklist. */
  readonly decomposed?: readonly string[] | undefined;
  /** Present for a verification. */
  readonly questions?: PersonaQuestions;
  /** The checklist whose entries a match labels. */
  readonly checklist?: readonly string[];
  /** Present for a match of a pair that people have labeled. */
  readonly pair?: Pick<PairWork, 'checklist'>;
}

/** Reading of the answers of evaluation, both when they arrive and when they are read again. */
interface AnswerReading {
  /** Steps whose answers are read even if they were cut off at the token limit. */
  readonly takesCut: readonly EvaluationStep[];
  /** Whether answers are read with everything that their server sent, reasoning included. */
  readonly takesRaw: boolean;
  readonly checks: {
    readonly [S in EvaluationStep]: (text: string, subject: CallSubject) => CheckResult<AnswerValues[S]>;
  };
}

const TRUTHFUL: AnswerReading = {
  // A user would see as much of a response as the limit allows.
  takesCut: ['respond'],
  takesRaw: false,
  checks: {
    summarize: (text, { instance }) => checkSummary(text, getKnown(instance).prior_interactions.length),
    // The memory system's reply was checked when it arrived.
    recall: (text) => accept(recalledSchema.parse(JSON.parse(text))),
    infer: checkInference,
    choose: (text, { options }) =>
      checkChoice(
        text,
        getKnown(options).map(({ preference }) => preference),
      ),
    ...mapValues(CHECKLIST_STEP_FACTS, () => checkChecklist),
    match: (text, { checklist }) => checkMatch(text, getKnown(checklist)),
    respond: checkText,
    judge: checkJudgement,
    classify: checkErrorType,
    express: (text, { questions }) =>
      checkExpressions(
        text,
        getKnown(questions).expressions.map(({ checklist }) => checklist),
      ),
    guess: checkGuess,
    contradict: (text, { questions }) => checkContradictions(text, getKnown(questions).contradictions.length),
  },
};

/** The reference program's own parsing, including the zeros that it makes up. */
const AS_THE_REFERENCE: AnswerReading = {
  takesCut: EVALUATION_STEPS,
  takesRaw: true,
  checks: {
    ...TRUTHFUL.checks,
    infer: (text) => accept(parseReferenceInference(text)),
    ...mapValues(CHECKLIST_STEP_FACTS, () => parseReferenceChecklist),
    match: (text) => accept(parseReferenceMatch(text)),
    respond: (text) => accept(text.trim()),
    judge: (text) => accept(parseReferenceScore(text)),
  },
};

/** Returns the check of a step's answers. */
export function getCheck<S extends EvaluationStep>(step: S, referenceCompatible: boolean) {
  return (referenceCompatible ? AS_THE_REFERENCE : TRUTHFUL).checks[step];
}

/** Returns the rules for the answers to a call. */
export function buildCallRules(
  call: EvaluationCall,
  referenceCompatible: boolean,
  subject: CallSubject,
): AnswerRules<AnswerValue> {
  const { step } = call;
  // Other matches follow our rules whatever the scores follow, because agreement needs labels that are aligned with people's.
  const isScored = step !== 'match' || call.of === 'inference';
  const { takesCut, takesRaw, checks } = referenceCompatible && isScored ? AS_THE_REFERENCE : TRUTHFUL;
  const checklist = step === 'match' ? { checklist: getMatchedList(call, subject) } : {};
  const rules = buildRules<AnswerValue>(
    (text) => checks[step](text, { ...subject, ...checklist }),
    step === 'infer' || step === 'guess' ? (value) => ({ isEmpty: value === '' }) : undefined,
  );
  return { ...rules, takesCut: takesCut.includes(step), takesRaw };
}

/** Returns the checklist whose entries a match labels. */
function getMatchedList(
  call: EvaluationCallOf<'match'>,
  { instance, decomposed, questions, pair }: CallSubject,
): readonly string[] {
  if (call.of === 'pair') return getKnown(pair).checklist;
  if (call.of === 'guess') return getGuessQuestion(getKnown(questions), call.turn).checklist;
  return call.list === 'inferred' ? getKnown(decomposed) : getKnown(instance).current_checklist;
}

/** @throws Error for a call whose subject was not looked up */
function getKnown<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The subject of a call is not known.');
  return part;
}
