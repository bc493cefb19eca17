import { getHistoryTier, type HistoryForm } from '../../schemas/evaluation/context';
import type { Cell, MissingScore } from '../../schemas/evaluation/evaluation';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { Recalled } from '../../schemas/evaluation/memory';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { EvaluationStep } from '../../schemas/run/step';
import { isOpen, listValues, type FoundCall } from '../method/evaluation-reader';

/** The outcome of an instance for one cell. It includes partial results if the end is missing. */
export type Outcome = InferenceOutcome | GenerationOutcome | ChoiceOutcome;

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

interface ChoiceOutcome extends Ending {
  readonly task: 'choice';
  /** Index of the chosen option. */
  readonly chosen?: number;
}

interface Ending {
  /** Answer of the memory system; absent without one. */
  readonly recalled?: Recalled;
  readonly state: 'scored' | 'context-length' | 'missing' | 'open';
  readonly missing?: MissingScore;
  /** The models as named in their responses, in the order asked. */
  readonly answeredBy: readonly string[];
}

/**
 * Computes the outcome of an instance for a cell, from the calls that the cell depends on (`readCell`). An evaluation stores no results
 * while it runs, so a stopped or extended one has nothing to repair, and rescoring needs no engine.
 */
export function computeOutcome(
  { task, context }: Pick<Cell, 'task' | 'context'>,
  calls: readonly FoundCall[],
): Outcome {
  const [recalled] = listValues(calls, 'recall');
  const ending = { ...computeEnding(calls, context), ...omitUndefined({ recalled }) };
  if (task === 'generation') {
    const [response] = listValues(calls, 'respond');
    const [judgement] = listValues(calls, 'judge');
    return { task, ...omitUndefined({ response }), ...judgement, ...ending };
  }
  if (task === 'choice') {
    const [chosen] = listValues(calls, 'choose');
    return { task, ...omitUndefined({ chosen }), ...ending };
  }
  const [preference] = listValues(calls, 'infer');
  // Only the reference accepts an empty inference: nothing inferred, nothing matched.
  const [checklist] = preference === '' ? [[]] : listValues(calls, 'decompose');
  const knownFields = { task, ...omitUndefined({ preference, checklist }), ...ending };
  if (ending.state !== 'scored') return knownFields;
  const [inferred = [], truth = []] = listValues(calls, 'match');
  // The reference drops a match that failed in either direction. Under our rules, both directions have labels here.
  const failed = inferred.length === 0 || truth.length === 0;
  return { ...knownFields, labels: failed ? { inferred: [], truth: [] } : { inferred, truth } };
}

function computeEnding(calls: readonly FoundCall[], context: HistoryForm): Ending {
  // A memory system is no model.
  const models = calls.filter(({ step }) => step !== 'recall');
  const answeredBy = models.flatMap(({ result }) => (result.state === 'given' ? [result.model] : []));
  // Both directions of a match are asked: neither is reported before the other is known.
  if (calls.some(isOpen)) return { state: 'open', answeredBy };
  const [missing] = calls.flatMap(({ result }) => (result.state === 'missing' ? [result.missing] : []));
  if (missing === undefined) return { state: 'scored', answeredBy };
  return { state: countsAsZero(missing, context) ? 'context-length' : 'missing', missing, answeredBy };
}

/** Returns true if the history is over the context length of the model under test, so that asking again is useless. */
export function isTooLong({ kind, step }: MissingScore): boolean {
  return kind === 'context-length' && OWN_STEPS.has(step);
}

/**
 * Returns true if the data's own history is too long for the model: as in the reference, it counts as 0, and is not missing. An extended one is
 * missing, because its length was chosen.
 */
export function countsAsZero(missing: MissingScore, context: HistoryForm | undefined): boolean {
  return isTooLong(missing) && (context === undefined || getHistoryTier(context) === undefined);
}

/** Steps that the model under test performs, or the memory system that it is tested with. */
export const OWN_STEPS: ReadonlySet<string> = new Set<EvaluationStep>([
  'summarize',
  'recall',
  'infer',
  'choose',
  'respond',
]);
