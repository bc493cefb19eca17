import { EVALUATION_STEPS, type EvaluationStep } from '../../schemas/run/step';
import {
  parseReferenceChecklist,
  parseReferenceInference,
  parseReferenceMatch,
  parseReferenceScore,
} from '../answers/evaluation/reference';
import { accept } from '../answers/form/checks';
import { getGuessQuestion } from '../verification/questions';
import { getKnown, type CallSubject, type Checks } from './evaluation-calls';
import { buildRules, type AnswerRules } from './judge';
import { STUDY_CHECKS, type StudyCall, type StudyValues } from './study';
import { TRIAL_CHECKS, type TrialCall, type TrialValues } from './trial';

/** A call of evaluation, with the references that its request is built from. */
export type EvaluationCall = TrialCall | StudyCall;

/** What usable answers say, by step. */
export interface AnswerValues extends TrialValues, StudyValues {}

export type AnswerValue = AnswerValues[EvaluationStep];

/** How the answers of evaluation are read: by activities that ask, and by code that reads them again. */
interface AnswerReading {
  /** The steps of which an answer that was cut off at the token limit is read all the same. */
  readonly takesCut: readonly EvaluationStep[];
  /** Whether answers are read with everything that their server sent. */
  readonly takesRaw: boolean;
  readonly checks: Checks<AnswerValues>;
}

const TRUTHFUL: AnswerReading = {
  // A response is what its user would see: as much of it as the limit lets through.
  takesCut: ['respond'],
  takesRaw: false,
  checks: { ...TRIAL_CHECKS, ...STUDY_CHECKS },
};

/** The reference program's own parsing, its invented zeros included. */
const AS_THE_REFERENCE: AnswerReading = {
  takesCut: EVALUATION_STEPS,
  takesRaw: true,
  checks: {
    ...TRUTHFUL.checks,
    infer: (text) => accept(parseReferenceInference(text)),
    decompose: parseReferenceChecklist,
    match: (text) => accept(parseReferenceMatch(text)),
    respond: (text) => accept(text.trim()),
    judge: (text) => accept(parseReferenceScore(text)),
  },
};

/** The check of a step's answers. */
export function getCheck<S extends EvaluationStep>(step: S, referenceCompatible: boolean) {
  return (referenceCompatible ? AS_THE_REFERENCE : TRUTHFUL).checks[step];
}

/** The rules that the answers to a call must keep. */
export function buildCallRules(
  call: EvaluationCall,
  referenceCompatible: boolean,
  subject: CallSubject,
): AnswerRules<AnswerValue> {
  const { step } = call;
  // Labels that cannot be aligned with people's labels do not count for agreement, whatever rules the scores follow.
  const isScored = step !== 'match' || call.of === 'inference';
  const { takesCut, takesRaw, checks } = referenceCompatible && isScored ? AS_THE_REFERENCE : TRUTHFUL;
  const checklist = step === 'match' ? { checklist: getMatchedList(call, subject) } : {};
  const rules = buildRules<AnswerValue>(
    (text) => checks[step](text, { ...subject, ...checklist }),
    step === 'infer' || step === 'guess' ? (value) => ({ isEmpty: value === '' }) : undefined,
  );
  return { ...rules, takesCut: takesCut.includes(step), takesRaw };
}

/** The checklist whose entries a match labels. */
function getMatchedList(
  call: Extract<EvaluationCall, { readonly step: 'match' }>,
  { instance, decomposed, questions, pair }: CallSubject,
): readonly string[] {
  if (call.of === 'pair') return getKnown(pair).checklist;
  if (call.of === 'guess') return getGuessQuestion(getKnown(questions), call.turn).checklist;
  return call.list === 'inferred' ? getKnown(decomposed) : getKnown(instance).current_checklist;
}
