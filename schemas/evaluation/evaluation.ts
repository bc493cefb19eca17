import * as z from 'zod';
import { CHOICE_RESULTS } from './choice';
import { CONTEXTS, HISTORY_FORMS } from './context';
import { INSTANCE_TYPES } from '../dataset/instance-type';
import { SPLITS } from '../dataset/split';
import { matchLabelSchema } from '../matching/match-label';
import { modelSpecSchema } from '../model/model-spec-schema';
import type { JournalEntry } from '../run/journal';
import { EVALUATION_STEPS } from '../run/step';

/**
 * Infer the preference, or respond to the request in accordance with it (paper, 2.2); or choose the preference among a persona's, which needs
 * no evaluator.
 */
export const TASKS = ['inference', 'generation', 'choice'] as const;
export type Task = (typeof TASKS)[number];

/** A model's summary of one prior session, used instead of the dialogue (paper, figure 23). */
export const sessionSummarySchema = z.object({
  /** Subjects of the user's requests. */
  context: z.array(z.string()),
  /** Preferences of the user about responses. */
  preferences: z.array(z.string()),
});
export type SessionSummary = z.infer<typeof sessionSummarySchema>;

/** Types of errors in inferred preferences (paper, table 2). */
export const ERROR_TYPES = ['Incorrect Context', 'Shallow Inference', 'Vagueness', 'Hallucination'] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** A matcher gets few-shot examples like any model, or PrefMatcher's own form (paper, A.1). */
export const matcherSchema = z.strictObject({
  spec: modelSpecSchema,
  form: z.enum(['evaluator', 'prefmatcher']),
});
export type Matcher = z.infer<typeof matcherSchema>;

/** Personas whose instances are selected; absent for all. */
export const chosenPersonasSchema = z.strictObject({
  split: z.enum(SPLITS).optional(),
  /** Key of a list of personas in the inputs. */
  list: z.string().optional(),
});
export type ChosenPersonas = z.infer<typeof chosenPersonasSchema>;

/** Selected instances of the data set: those of the types and personas, in order, up to the first `limit`. */
const selectionSchema = z.strictObject({
  limit: z.number().int().positive().nullable(),
  types: z.array(z.enum(INSTANCE_TYPES)).min(1),
  ...chosenPersonasSchema.shape,
});
export type Selection = z.infer<typeof selectionSchema>;

/** One column of the results: the model, the task, the history that it saw, and its evaluator, if it has one. */
export const cellSchema = z.discriminatedUnion('task', [
  z.strictObject({
    task: z.literal('inference'),
    model: modelSpecSchema,
    context: z.enum(CONTEXTS),
    decomposer: modelSpecSchema,
    matcher: matcherSchema,
    selection: selectionSchema,
  }),
  z.strictObject({
    task: z.literal('generation'),
    model: modelSpecSchema,
    context: z.enum(HISTORY_FORMS),
    judge: modelSpecSchema,
    selection: selectionSchema,
  }),
  z.strictObject({
    task: z.literal('choice'),
    model: modelSpecSchema,
    context: z.enum(CONTEXTS),
    selection: selectionSchema,
  }),
]);
export type Cell = z.infer<typeof cellSchema>;

/** Why a call gave no usable answer. Its score is missing, never 0. */
const missingScoreSchema = z.object({
  step: z.enum(EVALUATION_STEPS),
  /** `bad-answers`, a ModelError kind, or `unexpected`. */
  kind: z.string(),
  cause: z.string(),
});
export type MissingScore = z.infer<typeof missingScoreSchema>;

/** A call without a usable answer, by its place in its workflow. */
export const missingCallSchema = missingScoreSchema.extend({ turn: z.string() });
export type MissingCall = z.infer<typeof missingCallSchema>;

/** Number of retries of each call of a workflow, by step and turn, such as `match.t1.e2.true`; calls without retries are left out. */
export type RevisionCounts = Readonly<Record<string, number>>;

/** Stored calls of a workflow: every answer, and the reasons of calls without one. */
export interface StoredCalls {
  readonly entries: readonly JournalEntry[];
  readonly missing: readonly MissingCall[];
  /** Absent when none was retried. */
  readonly revisions?: RevisionCounts;
}

/**
 * State of an instance in one cell. `context-length`: the history was too long for the model under test, which counts as nothing matched, or score
 * 0. `open`: not evaluated yet.
 */
const STATES = ['scored', 'context-length', 'missing', 'open'] as const;

/**
 * A row of `results.parquet`, its columns in order: the numbers of one instance in one cell, and the texts from which they can be recomputed. Key:
 * persona_id, instance_type, task, model, context, evaluator, evaluator_form, decomposer.
 */
export const evaluationRowSchema = z.object({
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
  task: z.enum(TASKS),
  /** `provider:model`, from `formatResultName`. */
  model: z.string(),
  context: z.enum(HISTORY_FORMS),
  /** The matcher (inference) or judge (generation); `none` for a choice, whose letter is compared with the right one. */
  evaluator: z.string(),
  evaluator_form: z.enum(['evaluator', 'prefmatcher', 'judge', 'letter']),
  /** Inference only. */
  decomposer: z.string().nullable(),
  state: z.enum(STATES),
  missing_step: z.enum(EVALUATION_STEPS).nullable(),
  missing_kind: z.string().nullable(),
  missing_cause: z.string().nullable(),
  precision: z.number().nullable(),
  recall: z.number().nullable(),
  f1: z.number().nullable(),
  /** Entries of the inferred checklist, and the sum of their labels' scores (1, 0.5, 0); null unless inference is scored. */
  n_predicted: z.number().int().nullable(),
  n_predicted_matched: z.number().nullable(),
  /** Entries of the true checklist, and the sum of their labels' scores. */
  n_true: z.number().int().nullable(),
  n_true_matched: z.number().nullable(),
  /** Generation: 1 to 10; 0 if the history was too long. */
  score: z.number().int().nullable(),
  /** Choice: number of options, the letter of the right one, and that of the chosen one. */
  n_options: z.number().int().nullable(),
  true_option: z.string().nullable(),
  chosen_option: z.string().nullable(),
  /** Whether the choice is right, or the kind of its error. */
  choice: z.enum(CHOICE_RESULTS).nullable(),
  current_request: z.string(),
  true_preference: z.string(),
  true_checklist: z.array(z.string()),
  /** The labels, in the order of the checklist. */
  true_labels: z.array(matchLabelSchema).nullable(),
  inferred_preference: z.string().nullable(),
  /** Words of the inferred preference; the prompt asks for at most 30. */
  inferred_words: z.number().int().nullable(),
  inferred_checklist: z.array(z.string()).nullable(),
  inferred_labels: z.array(matchLabelSchema).nullable(),
  response: z.string().nullable(),
  /** Tokens of the response. */
  response_tokens: z.number().int().nullable(),
  analysis: z.string().nullable(),
  /** The texts of the options, in the order of their letters. */
  options: z.array(z.string()).nullable(),
  /** Context `memory`: what the memory system returned, its tokens before it was cut off, and milliseconds to add the sessions and to be asked. */
  memory_context: z.string().nullable(),
  memory_tokens: z.number().int().nullable(),
  memory_add_ms: z.number().int().nullable(),
  memory_query_ms: z.number().int().nullable(),
  /** Number of messages that it answered before it was done with them (HTTP status 202). */
  memory_unfinished_messages: z.number().int().nullable(),
  /** Ids of the sessions that it used, such as `s1`, the most relevant first; null if it does not say. */
  memory_sessions: z.array(z.string()).nullable(),
  /** Ids of the sessions with the current factor and preference, which it should have used. */
  evidence_sessions: z.array(z.string()).nullable(),
  /** Mean position, from 1, of the prior sessions with the current factor and preference; null if there are none. */
  relevant_position: z.number().nullable(),
  /** Number of prior sessions, and their tokens. */
  n_prior_sessions: z.number().int(),
  prior_tokens: z.number().int(),
  /** The model that synthesized the instance, if the data name it. */
  synthesizer: z.string().nullable(),
  /** Models as named in their responses, sorted, without duplicates. */
  answered_by: z.array(z.string()),
  /** True if a model of this row, or of its instance, is known to be simulated. */
  simulated: z.boolean(),
});
export type EvaluationRow = z.infer<typeof evaluationRowSchema>;

/** Columns that identify a row of the results. */
export const ROW_KEY = {
  persona_id: true,
  instance_type: true,
  task: true,
  model: true,
  context: true,
  evaluator: true,
  evaluator_form: true,
  decomposer: true,
} as const satisfies Partial<Record<keyof EvaluationRow, true>>;

/** The row without its texts, for aggregation and analyses. */
export const scoreRowSchema = evaluationRowSchema.omit({
  missing_cause: true,
  current_request: true,
  true_preference: true,
  true_checklist: true,
  inferred_preference: true,
  inferred_checklist: true,
  response: true,
  analysis: true,
  options: true,
  memory_context: true,
  answered_by: true,
  simulated: true,
});
export type ScoreRow = z.infer<typeof scoreRowSchema>;
