import type { ErrorType, MatchLabel, SessionSummary } from '../../../schemas/evaluation/evaluation';
import type { Checklist } from '../../../schemas/dataset/session';
import { EVALUATION_STEPS, type EvaluationStep } from '../../../schemas/run/step';
import { checkChecklist } from '../synthesis/checklist';
import { checkErrorType } from './error-type';
import { checkInference } from './inference';
import { checkJudgement, type Judgement } from './judgement';
import { checkMatch } from './match';
import {
  parseReferenceChecklist,
  parseReferenceInference,
  parseReferenceMatch,
  parseReferenceScore,
} from './reference';
import { checkSummary } from './summary';
import { accept, checkText, type CheckResult } from '../form/checks';

/** How the answers of evaluation are read: one place for the activities that ask and for the code that reads them again. */
export interface AnswerReading {
  /** The steps of which an answer that was cut off at the token limit is read all the same. */
  readonly takesCut: ReadonlySet<EvaluationStep>;
  /** Whether answers are read with everything that their server sent. */
  readonly takesRaw: boolean;
  readonly summary: (text: string, sessions: number) => CheckResult<SessionSummary[]>;
  /** Empty only where answers are read as the reference reads them. */
  readonly inference: (text: string) => CheckResult<string>;
  readonly checklist: (text: string) => CheckResult<Checklist>;
  readonly match: (text: string, checklist: readonly string[]) => CheckResult<MatchLabel[]>;
  readonly response: (text: string) => CheckResult<string>;
  readonly judgement: (text: string) => CheckResult<Judgement>;
  readonly errorType: (text: string) => CheckResult<{ type: ErrorType; explanation: string }>;
}

/** @param referenceCompatible the reference program's own parsing, its invented zeros included */
export function buildAnswerReading(referenceCompatible: boolean): AnswerReading {
  return referenceCompatible ? AS_THE_REFERENCE : TRUTHFUL;
}

const TRUTHFUL: AnswerReading = {
  // A response is what its user would see: as much of it as the limit lets through.
  takesCut: new Set(['respond']),
  takesRaw: false,
  summary: checkSummary,
  inference: checkInference,
  checklist: checkChecklist,
  match: checkMatch,
  response: checkText,
  judgement: checkJudgement,
  errorType: checkErrorType,
};

const AS_THE_REFERENCE: AnswerReading = {
  ...TRUTHFUL,
  takesCut: new Set(EVALUATION_STEPS),
  takesRaw: true,
  inference: (text) => accept(parseReferenceInference(text)),
  checklist: parseReferenceChecklist,
  match: (text) => accept(parseReferenceMatch(text)),
  response: (text) => accept(text.trim()),
  judgement: (text) => accept(parseReferenceScore(text)),
};
