import { Bool, type DataType, Field, Float64, Int64, List, Schema, Struct, Utf8 } from 'apache-arrow';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import type { ContextFactor } from '../../schemas/dataset/factor';
import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import type { Message } from '../../schemas/dataset/message';
import type { Persona } from '../../schemas/dataset/persona';
import type { Provenance } from '../../schemas/dataset/provenance';
import type { Interaction, PersonaRecord } from '../../schemas/dataset/record';
import type { Session } from '../../schemas/dataset/session';
import type { AuditRow, Revision } from '../../schemas/review/review';
import type { ItemEvidence, VerificationRow } from '../../schemas/verification/verification';

/** The Arrow type that keeps a value of this type: texts, numbers, truth values, lists and structs of these. */
type ColumnType<T> = [NonNullable<T>] extends [string]
  ? Utf8
  : [NonNullable<T>] extends [number]
    ? Int64 | Float64
    : [NonNullable<T>] extends [boolean]
      ? Bool
      : [NonNullable<T>] extends [readonly (infer Element)[]]
        ? List<ColumnType<Element>>
        : Struct<ColumnTypes<NonNullable<T>>>;
type ColumnTypes<Row> = { [Name in keyof Row & string]-?: ColumnType<Row[Name]> };

/** The columns of a data set whose rows are of this type. All are nullable; absent and null are the same. */
export type Columns<Row> = Schema<ColumnTypes<Row>>;

// The compiler holds the names and types below against the rows' types; only the order is decided here.

const text = new Utf8();
// As `datasets` and pandas keep whole numbers.
const whole = new Int64();
const fraction = new Float64();
const truth = new Bool();

const message = buildStruct<Message>({ role: text, content: text });

/** CUPID and CUPID-Unverified: the columns of the published data set, in its order. */
export const INSTANCE_COLUMNS = buildColumns<Instance>({
  persona_id: text,
  instance_type: text,
  current_request: text,
  current_context_factor: text,
  current_contextual_preference: text,
  current_checklist: list(text),
  prior_interactions: list(
    buildStruct<PriorInteraction>({
      context_factor: text,
      contextual_preference: text,
      dialogue: list(message),
    }),
  ),
});

/** CUPID-Raw: one row per persona. */
export const RECORD_COLUMNS = buildColumns<PersonaRecord>({
  persona_id: text,
  persona: buildStruct<Persona>({
    id: whole,
    seed: text,
    career_level: text,
    personality_traits: list(text),
    personal_values: list(text),
    decision_making_styles: text,
    description: text,
    occupation: text,
  }),
  context_factors: list(
    buildStruct<ContextFactor>({
      factor_type: text,
      background: text,
      factor: text,
      task_types: list(text),
      preference_type: text,
      preference: text,
      related_factor: text,
    }),
  ),
  sessions: list(
    buildStruct<Session>({
      id: whole,
      context_factor: text,
      preference: text,
      task_type: text,
      story: text,
      request_with_factor_and_preference: text,
      request_with_factor: text,
      resource: text,
      checklist: list(text),
    }),
  ),
  interactions: list(
    buildStruct<Interaction>({
      session_id: whole,
      preference: text,
      checklist: list(text),
      chat: list(message),
      is_satisfied: truth,
    }),
  ),
});

/** `provenance.parquet`: where each instance comes from. */
export const PROVENANCE_COLUMNS = buildColumns<Provenance>({
  persona_id: text,
  instance_type: text,
  run: text,
  workflow_id: text,
  simulated: truth,
  seed: whole,
  seed_sentence: text,
  prior_sessions: list(whole),
  unsatisfied_sessions: list(whole),
  disagreements: whole,
  synthesis_model: text,
  user_model: text,
  assistant_model: text,
  answered_by: list(text),
  prompts_hash: text,
  code_version: text,
  calls: whole,
  bad_answers: whole,
  input_tokens: whole,
  output_tokens: whole,
});

/** `results.parquet` of an evaluation: the numbers of each instance in each cell, and the texts they come from. */
export const EVALUATION_COLUMNS = buildColumns<EvaluationRow>({
  persona_id: text,
  instance_type: text,
  task: text,
  model: text,
  context: text,
  evaluator: text,
  evaluator_form: text,
  decomposer: text,
  state: text,
  missing_step: text,
  missing_kind: text,
  missing_cause: text,
  precision: fraction,
  recall: fraction,
  f1: fraction,
  n_predicted: whole,
  n_predicted_matched: fraction,
  n_true: whole,
  n_true_matched: fraction,
  score: whole,
  current_request: text,
  true_preference: text,
  true_checklist: list(text),
  true_labels: list(text),
  inferred_preference: text,
  inferred_words: whole,
  inferred_checklist: list(text),
  inferred_labels: list(text),
  response: text,
  response_tokens: whole,
  analysis: text,
  relevant_position: fraction,
  prior_sessions: whole,
  prior_tokens: whole,
  synthesizer: text,
  answered_by: list(text),
  simulated: truth,
});

/** `verification.parquet`: the verdicts on each instance, and their evidence. */
export const VERIFICATION_COLUMNS = buildColumns<VerificationRow>({
  persona_id: text,
  instance_type: text,
  accepted: truth,
  solvable: text,
  challenging: text,
  contrasting: text,
  items: list(
    buildStruct<ItemEvidence>({
      role: text,
      preference: text,
      item: text,
      rating: text,
      quotations: list(text),
      rejected_quotations: list(text),
      explanation: text,
    }),
  ),
  current_request: text,
  guess: text,
  current_preference: text,
  current_checklist: list(text),
  guess_labels: list(text),
  other_preference: text,
  contradiction: text,
  solvable_again: text,
  challenging_again: text,
  contrasting_again: text,
  unknown_causes: list(text),
  verifier: text,
  answered_by: list(text),
  simulated: truth,
});

/** Columns of `audit.parquet`. */
export const AUDIT_COLUMNS = buildColumns<AuditRow>({
  task: text,
  kind: text,
  persona_id: text,
  rater: text,
  role: text,
  items: list(buildStruct<AuditRow['items'][number]>({ item: text, label: text })),
  realism: whole,
  implicitness: whole,
  rejection: text,
  revisions: list(buildStruct<Revision>({ opening: text, at: whole, before: text, after: text })),
  annotated_at: text,
  source: text,
  outcome: text,
});

function buildColumns<Row>(types: ColumnTypes<Row>): Columns<Row> {
  const schema: Schema = new Schema(buildFields(types));
  return schema;
}

function buildStruct<Value>(types: ColumnTypes<Value>): Struct<ColumnTypes<Value>> {
  const type: Struct = new Struct(buildFields(types));
  return type;
}

// Parquet's own name for what a list holds; pyarrow, polars and DuckDB accept any.
function list<Element extends DataType>(element: Element): List<Element> {
  return new List(new Field('element', element, true));
}

function buildFields(types: object): Field[] {
  return Object.entries(types).map(([name, type]: [string, DataType]) => new Field(name, type, true));
}
