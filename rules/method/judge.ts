import { trimText } from '../../schemas/model/answer-text';
import type { JournalEntry } from '../../schemas/run/journal';
import { formatModelName } from '../../schemas/model/model-spec';
import { STEP_FACTS, type Step } from '../../schemas/run/step';
import {
  rejectCutOff,
  rejectFailed,
  rejectUsedUpByReasoning,
  type CheckResult,
} from '../answers/form/checks';
import type { AttemptOutcome, SomeFacts } from './script';

/** Checks of the answers to a call. */
export interface AnswerRules<T = unknown> {
  readonly check: (text: string) => CheckedAnswer<T>;
  /** Whether an answer is checked even if it was cut off at the token limit. */
  readonly takesCut?: boolean;
  /** Whether an answer is checked with everything that its server sent, reasoning included. */
  readonly takesRaw?: boolean;
}

type CheckedAnswer<T> =
  | (Extract<CheckResult<T>, { ok: true }> & { readonly facts?: SomeFacts })
  | Extract<CheckResult<T>, { ok: false }>;

/** Builds rules from a check, and from the facts that scripts need of the value that it returns. */
export function buildRules<T>(
  check: (text: string) => CheckResult<T>,
  getFacts?: (value: T) => SomeFacts,
): AnswerRules<T> {
  return {
    check: (text) => {
      const checked = check(text);
      return checked.ok && getFacts !== undefined ? { ...checked, facts: getFacts(checked.value) } : checked;
    },
  };
}

/** An answer of the journal, judged by the rules of its call. */
export interface JudgedAnswer<T = unknown> {
  readonly outcome: AttemptOutcome;
  /** The value that the check returned for a usable answer. */
  readonly value?: T;
  /** The rule that is broken or in doubt; for a refusal, its cause. */
  readonly problem?: string;
}

/**
 * Judgments of entries. An entry belongs to one attempt by its key, and never changes. Neither do the rules of its call while a process has
 * its run open.
 */
const judgements = new WeakMap<JournalEntry, JudgedAnswer>();

/** Judges an entry of the journal once: the ledger, the workflow and the persona's record need the same judgment. */
export function judgeEntry(entry: JournalEntry, ...by: JudgedBy): JudgedAnswer {
  const judgement = findJudgement(entry) ?? judgeAnswer(entry, ...by);
  judgements.set(entry, judgement);
  return judgement;
}

/** Returns the judgment of an entry that this process has judged; undefined for every other, even with the same content. */
export function findJudgement(entry: JournalEntry): JudgedAnswer | undefined {
  return judgements.get(entry);
}

type JudgedBy = [
  place: { readonly step: Step; readonly attempt: number },
  rules: AnswerRules,
  maxTokens: number,
];

/** Judges an answer: a refusal ends the work; a failed, cut-off or malformed answer is asked for again. */
export function judgeAnswer<T>(
  { spec, answer }: Pick<JournalEntry, 'spec' | 'answer'>,
  { step, attempt }: { readonly step: Step; readonly attempt: number },
  { check, takesCut = false, takesRaw = false }: AnswerRules<T>,
  maxTokens: number,
): JudgedAnswer<T> {
  const { text, raw = text, finish } = answer;
  if (finish === 'refused') {
    const refusalText = trimText(text);
    const problem = `${formatModelName(spec)} refused ${STEP_FACTS[step].task} (attempt ${attempt + 1})${refusalText === '' ? '' : `: ${refusalText.slice(0, 300)}`}`;
    return { outcome: { state: 'unanswered', kind: 'refused' }, problem };
  }
  const limits = { step, maxTokens, takesCut, takesRaw };
  const checked = checkFinish(answer, limits) ?? check(takesRaw ? raw : text);
  if (!checked.ok) {
    const cause = finish === 'reasoning' ? { cause: finish } : {};
    return { outcome: { state: 'bad', ...cause }, problem: checked.reason };
  }
  const { value, facts, doubt } = checked;
  const state = doubt === undefined ? 'good' : 'doubtful';
  return {
    outcome: { state, ...(facts === undefined ? {} : { facts }) },
    value,
    ...(doubt === undefined ? {} : { problem: doubt }),
  };
}

function checkFinish(
  { finish, failure }: Pick<JournalEntry['answer'], 'finish' | 'failure'>,
  {
    step,
    maxTokens,
    takesCut,
    takesRaw,
  }: Required<Pick<AnswerRules, 'takesCut' | 'takesRaw'>> & {
    readonly step: Step;
    readonly maxTokens: number;
  },
): Extract<CheckResult<unknown>, { ok: false }> | undefined {
  if (finish === 'failed') return rejectFailed(failure ?? finish);
  if (finish === 'reasoning' && !takesRaw) return rejectUsedUpByReasoning(step, maxTokens);
  return finish === 'length' && !takesCut ? rejectCutOff(maxTokens) : undefined;
}
