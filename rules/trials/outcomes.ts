import type {
  Cell,
  RevisionCounts,
  MatchLabel,
  MissingScore,
  MissingCall,
} from '../../schemas/evaluation/evaluation';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import type { Instance } from '../../schemas/dataset/instance';
import type { JournalEntry } from '../../schemas/run/journal';
import { EVALUATION_STEPS, type EvaluationStep } from '../../schemas/run/step';
import { buildAnswerReading, type AnswerReading } from '../answers/evaluation/by-step';
import type { CheckResult } from '../answers/form/checks';
import { groupBy } from '../group-by';
import { type CallKey, buildAnswerRef, parseStepKey, type AnswerRef } from '../../engine/journal/key';
import { formatCallPlace, buildMatchTurn, numberMatcher, getSpecNumber } from './trials';

/** What is kept of a workflow's calls: every answer it got, and why others gave nothing. */
export interface StoredCalls {
  readonly entries: readonly JournalEntry[];
  readonly missing: readonly MissingCall[];
  /** Absent when none was retried. */
  readonly revisions?: RevisionCounts;
}

/** What became of one call: its answer, why there is none, or nothing yet. */
export type CallResult<T> =
  | { readonly state: 'given'; readonly value: T; readonly ref: AnswerRef; readonly model: string }
  | { readonly state: 'missing'; readonly missing: MissingScore }
  | { readonly state: 'open' };

/** The outcome of an instance for one cell. It includes what was found on the way, also when the end is missing. */
export type Outcome = InferenceOutcome | GenerationOutcome;

interface InferenceOutcome extends Ending {
  readonly task: 'inference';
  readonly preference?: string;
  readonly checklist?: readonly string[];
  readonly labels?: { readonly inferred: readonly MatchLabel[]; readonly truth: readonly MatchLabel[] };
}

interface GenerationOutcome extends Ending {
  readonly task: 'generation';
  readonly response?: string;
  readonly score?: number;
  readonly analysis?: string;
}

interface Ending {
  readonly state: 'scored' | 'context-length' | 'missing' | 'open';
  readonly missing?: MissingScore;
  /** The models as their responses named them, in the order asked. */
  readonly answeredBy: readonly string[];
}

/** One of the calls that an outcome depends on, and its result. */
export interface CallLookup {
  readonly step: EvaluationStep;
  readonly turn: string;
  /** How often it was retried. */
  readonly revision: number;
  readonly found: CallResult<unknown>;
}

type Inputs = Pick<EvaluationInputs, 'settings' | 'evaluators'>;

/** How an instance came out for a cell, from what is kept of its trial's calls. */
export function computeOutcome(inputs: Inputs, cell: Cell, instance: Instance, calls: StoredCalls): Outcome {
  const reading = buildAnswerReading(inputs.settings.referenceCompatible);
  return followOutcome(inputs, cell, instance, reading, createLookup(calls, reading));
}

/** The calls that the outcome of a cell depends on, as far as they are known: those after an open or a missing one are not. */
export function listCellCalls(
  inputs: Inputs,
  cell: Cell,
  instance: Instance,
  calls: StoredCalls,
): CallLookup[] {
  const reading = buildAnswerReading(inputs.settings.referenceCompatible);
  const { look, lookups } = createTrackedLookup(calls, reading);
  followOutcome(inputs, cell, instance, reading, look);
  return lookups;
}

/** True when what depends on these calls is open because one of them is retried. */
export function isRetried(calls: readonly CallLookup[]): boolean {
  return calls.some(({ revision }) => revision > 0) && calls.some(({ found }) => found.state === 'open');
}

function followOutcome(
  inputs: Inputs,
  cell: Cell,
  instance: Instance,
  reading: AnswerReading,
  look: AnswerLookup,
): Outcome {
  const answeredBy: string[] = [];
  const { task } = cell;
  /** The answer, or else how the whole comes out. */
  const need = <T>(found: CallResult<T>): { readonly value: T } | { readonly ending: Ending } => {
    if (found.state === 'given') {
      answeredBy.push(found.model);
      return { value: found.value };
    }
    if (found.state === 'open') return { ending: { state: 'open', answeredBy } };
    return { ending: { ...getEnding(found.missing), answeredBy } };
  };

  if (cell.context === 'summary') {
    const sessions = instance.prior_interactions.length;
    const summarized = need(look('summarize', 0, (text) => reading.summary(text, sessions)));
    if ('ending' in summarized) return { task, ...summarized.ending };
  }
  if (cell.task === 'generation') {
    const response = need(look('respond', 0, reading.response));
    if ('ending' in response) return { task: cell.task, ...response.ending };
    const known = { task: cell.task, response: response.value };
    const judge = getSpecNumber(inputs.evaluators, cell.judge);
    const judgement = need(look('judge', judge, reading.judgement));
    if ('ending' in judgement) return { ...known, ...judgement.ending };
    return { ...known, state: 'scored', ...judgement.value, answeredBy };
  }
  const inferred = need(look('infer', 0, reading.inference));
  if ('ending' in inferred) return { task: cell.task, ...inferred.ending };
  const preference = inferred.value;
  const known = { task: cell.task, preference };
  const truth = instance.current_checklist;
  // Only the reference takes an inference that is empty: nothing inferred, nothing matched.
  if (preference === '') {
    return { ...known, state: 'scored', checklist: [], labels: { inferred: [], truth: [] }, answeredBy };
  }
  const decomposer = getSpecNumber(inputs.evaluators, cell.decomposer);
  const decomposed = need(look('decompose', decomposer, reading.checklist));
  if ('ending' in decomposed) return { ...known, ...decomposed.ending };
  const checklist = decomposed.value;
  const matcher = numberMatcher(inputs.evaluators, cell.matcher);
  const matched = (list: 'inferred' | 'true', entries: readonly string[]) =>
    need(look('match', buildMatchTurn(decomposer, matcher, list), (text) => reading.match(text, entries)));
  const inferredLabels = matched('inferred', checklist);
  const trueLabels = matched('true', truth);
  // Both are asked, whatever their results: nothing is reported about one before the other is known.
  if ('ending' in trueLabels && trueLabels.ending.state === 'open') {
    return { ...known, checklist, ...trueLabels.ending };
  }
  if ('ending' in inferredLabels) return { ...known, checklist, ...inferredLabels.ending };
  if ('ending' in trueLabels) return { ...known, checklist, ...trueLabels.ending };
  const both = { inferred: inferredLabels.value, truth: trueLabels.value };
  // The reference keeps nothing of a match that failed in either direction; ours has no list without labels.
  const failed = both.inferred.length === 0 || both.truth.length === 0;
  const labels = failed ? { inferred: [], truth: [] } : both;
  return { ...known, state: 'scored', checklist, labels, answeredBy };
}

/** What became of a call of that place, whose answers are read so. */
export type AnswerLookup = <T>(
  step: EvaluationStep,
  turn: CallKey['turn'],
  check: (text: string) => CheckResult<T>,
) => CallResult<T>;

/** Looks for what became of a call: the first of its answers that can be used, as the workflow that asked took it. */
export function createLookup(
  { entries, missing, revisions = {} }: StoredCalls,
  { takesCut, takesRaw }: Pick<AnswerReading, 'takesCut' | 'takesRaw'>,
): AnswerLookup {
  const answered = entries.flatMap((entry) => {
    const call = parseStepKey(entry.key, EVALUATION_STEPS);
    return call === undefined ? [] : [{ ...call, ...entry }];
  });
  const byCall = groupBy(answered, (one) => formatCallPlace(one.step, one.turn));
  return (step, turn, check) => {
    const place = formatCallPlace(step, turn);
    const revision = revisions[place] ?? 0;
    const answers = (byCall.get(place) ?? [])
      .filter((one) => one.revision === revision)
      .toSorted((one, other) => one.ask - other.ask);
    for (const { ask, answer } of answers) {
      const { finish, text, raw = text } = answer;
      if (finish === 'refused' || (finish === 'reasoning' && !takesRaw)) continue;
      if (finish === 'length' && !takesCut.has(step)) continue;
      const checked = check(takesRaw ? raw : text);
      if (checked.ok) {
        const ref = buildAnswerRef(revision, ask);
        return { state: 'given', value: checked.value, ref, model: answer.model };
      }
    }
    const gone = missing.find((one) => one.step === step && one.turn === String(turn));
    return gone === undefined ? { state: 'open' } : { state: 'missing', missing: gone };
  };
}

/** Looks as `createLookup` does, and remembers what for. */
export function createTrackedLookup(
  calls: StoredCalls,
  reading: AnswerReading,
): { readonly look: AnswerLookup; readonly lookups: CallLookup[] } {
  const lookFor = createLookup(calls, reading);
  const lookups: CallLookup[] = [];
  const look: AnswerLookup = (step, turn, check) => {
    const found = lookFor(step, turn, check);
    const revision = calls.revisions?.[formatCallPlace(step, turn)] ?? 0;
    lookups.push({ step, turn: String(turn), revision, found });
    return found;
  };
  return { look, lookups };
}

/** True when the model under test could not take the history in: its score is then 0, and not missing. */
export function isTooLong({ kind, step }: MissingScore): boolean {
  return kind === 'context-length' && OWN_STEPS.has(step);
}

/** The steps that the model under test is asked for. */
export const OWN_STEPS: ReadonlySet<EvaluationStep> = new Set(['summarize', 'infer', 'respond']);

function getEnding(missing: MissingScore): Pick<Ending, 'state' | 'missing'> {
  return { state: isTooLong(missing) ? 'context-length' : 'missing', missing };
}
