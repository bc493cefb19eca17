import {
  scoreRowSchema,
  type Cell,
  type EvaluationRow,
  type ScoreRow,
} from '../../schemas/evaluation/evaluation';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import type { Instance } from '../../schemas/dataset/instance';
import { formatLetter } from '../../schemas/evaluation/choice';
import { classifyChoice, findRightOption, type ChoiceOption } from '../choice/options';
import type { TrialSubject } from '../method/evaluation-reader';
import { hasSimulated, formatModelName } from '../../schemas/model/model-spec';
import { listEvaluators } from './cells';
import type { Outcome } from './outcomes';
import { computeRelevantPosition, findEvidence } from '../instances/relevance';
import { formatSessionId } from '../instances/replay';
import {
  buildContextLengthScores,
  CONTEXT_LENGTH_SCORE,
  computeInferenceScores,
} from '../scores/instance-scores';
import { countWords } from '../texts/words';
import { countTokens } from '../statistics/tokens';

interface RowInstance extends TrialSubject {
  readonly priorTokens: number;
  readonly synthesizer: string | null;
}

/** Builds a row of the results: the outcome of an instance for a cell, with its texts and numbers. */
export function buildEvaluationRow(
  inputs: Pick<EvaluationInputs, 'models' | 'evaluators' | 'data' | 'settings'>,
  cell: Cell,
  { instance, options, priorTokens, synthesizer }: RowInstance,
  outcome: Outcome,
): EvaluationRow {
  return {
    persona_id: instance.persona_id,
    instance_type: instance.instance_type,
    task: cell.task,
    model: formatResultName(inputs.models, cell.model),
    context: cell.context,
    ...nameEvaluators(inputs.evaluators, cell),
    state: outcome.state,
    missing_step: outcome.missing?.step ?? null,
    missing_kind: outcome.missing?.kind ?? null,
    missing_cause: outcome.missing?.cause ?? null,
    ...buildInferenceFields(instance, outcome),
    ...buildGenerationFields(outcome),
    ...buildChoiceFields(instance, options, outcome),
    ...buildMemoryFields(instance, outcome),
    relevant_position: computeRelevantPosition(instance),
    prior_tokens: priorTokens,
    n_prior_sessions: instance.prior_interactions.length,
    synthesizer,
    true_preference: instance.current_contextual_preference,
    true_checklist: instance.current_checklist,
    current_request: instance.current_request,
    answered_by: [...new Set(outcome.answeredBy)].toSorted(),
    simulated: inputs.data.simulated === true || hasSimulated([cell.model, ...listEvaluators(cell)]),
  };
}

/** Returns the columns that name a cell's evaluators. @param list the SPECs of all evaluators */
export function nameEvaluators(
  list: readonly string[],
  cell: Cell,
): Pick<EvaluationRow, 'evaluator' | 'evaluator_form' | 'decomposer'> {
  if (cell.task === 'choice') return { evaluator: 'none', evaluator_form: 'letter', decomposer: null };
  if (cell.task === 'generation') {
    return { evaluator: formatResultName(list, cell.judge), evaluator_form: 'judge', decomposer: null };
  }
  return {
    evaluator: formatResultName(list, cell.matcher.spec),
    evaluator_form: cell.matcher.form,
    decomposer: formatResultName(list, cell.decomposer),
  };
}

/** Returns the row without its texts, which aggregation and analyses keep in memory. */
export function getScoreRow(row: EvaluationRow): ScoreRow {
  return scoreRowSchema.parse(row);
}

/**
 * Returns the name of a SPEC in results: its provider and model. A simulated model keeps its full SPEC, because its options make it another model;
 * so does one whose short name is not unique in the list. Names do not depend on positions in the list, so they mean the same in every folder.
 */
export function formatResultName(list: readonly string[], spec: string): string {
  const name = formatModelName(spec);
  const sameNames = list.filter((candidate) => formatModelName(candidate) === name);
  return sameNames.length < 2 && !hasSimulated([spec]) ? name : spec;
}

const NO_SCORES = {
  n_predicted: null,
  n_predicted_matched: null,
  n_true: null,
  n_true_matched: null,
  precision: null,
  recall: null,
  f1: null,
} as const;

function buildInferenceFields(instance: Instance, outcome: Outcome) {
  const inference = outcome.task === 'inference' ? outcome : undefined;
  return {
    inferred_preference: inference?.preference ?? null,
    inferred_words: inference?.preference === undefined ? null : countWords(inference.preference),
    inferred_checklist: inference?.checklist === undefined ? null : [...inference.checklist],
    inferred_labels: inference?.labels === undefined ? null : [...inference.labels.inferred],
    true_labels: inference?.labels === undefined ? null : [...inference.labels.truth],
    ...buildInferenceNumbers(instance.current_checklist.length, outcome),
  };
}

function buildInferenceNumbers(trueSize: number, outcome: Outcome) {
  if (outcome.task !== 'inference') return NO_SCORES;
  const { state, labels, checklist } = outcome;
  if (state === 'context-length') return buildContextLengthScores(trueSize);
  if (state === 'scored' && labels !== undefined && checklist !== undefined) {
    return computeInferenceScores(
      { size: checklist.length, labels: labels.inferred },
      { size: trueSize, labels: labels.truth },
    );
  }
  // The reference's sums need the sizes of both lists if only matching failed.
  if (checklist !== undefined) return { ...NO_SCORES, n_predicted: checklist.length, n_true: trueSize };
  return NO_SCORES;
}

function buildGenerationFields(outcome: Outcome) {
  if (outcome.task !== 'generation') return NO_GENERATION;
  const { state, response, score, analysis } = outcome;
  return {
    response: response ?? null,
    response_tokens: response === undefined ? null : countTokens(response),
    score: state === 'context-length' ? CONTEXT_LENGTH_SCORE : (score ?? null),
    analysis: analysis ?? null,
  };
}

const NO_GENERATION = { response: null, response_tokens: null, score: null, analysis: null } as const;

function buildChoiceFields(
  instance: Instance,
  options: readonly ChoiceOption[] | undefined,
  outcome: Outcome,
) {
  if (outcome.task !== 'choice' || options === undefined) return NO_CHOICE;
  const { chosen } = outcome;
  const right = findRightOption(options, instance);
  return {
    n_options: options.length,
    options: options.map(({ preference }) => preference),
    true_option: right === undefined ? null : formatLetter(right),
    chosen_option: chosen === undefined ? null : formatLetter(chosen),
    choice: chosen === undefined ? null : classifyChoice(options, instance, chosen),
  };
}

function buildMemoryFields(instance: Instance, { recalled }: Outcome) {
  if (recalled === undefined) return NO_MEMORY;
  const { context, sessions, addMs, queryMs, unfinishedMessages = 0 } = recalled;
  return {
    memory_context: context,
    // Models are shown no history then.
    memory_tokens: context.trim() === '' ? 0 : countTokens(context),
    memory_add_ms: addMs,
    memory_query_ms: queryMs,
    memory_unfinished_messages: unfinishedMessages,
    memory_sessions: sessions ?? null,
    evidence_sessions: findEvidence(instance).evidence.map(formatSessionId),
  };
}

const NO_MEMORY = {
  memory_context: null,
  memory_tokens: null,
  memory_add_ms: null,
  memory_query_ms: null,
  memory_unfinished_messages: null,
  memory_sessions: null,
  evidence_sessions: null,
} as const;

const NO_CHOICE = {
  n_options: null,
  options: null,
  true_option: null,
  chosen_option: null,
  choice: null,
} as const;
