import * as z from 'zod';
import { INSTANCE_TYPES } from './instance-type';

/**
 * Origin of an instance: a row of `provenance.parquet`, keyed by persona_id + instance_type. Never part of the published columns: other programs
 * rely on those of CUPID.
 */
export const provenanceSchema = z.object({
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
  run: z.string(),
  workflow_id: z.string(),
  /** True if any model of the run, or of the data that its personas come from, was simulated. */
  simulated: z.boolean(),
  seed: z.number().int(),
  seed_sentence: z.string(),
  /** The sessions of the journey that are this row's prior interactions, in order. */
  prior_sessions: z.array(z.number().int()),
  /** Prior sessions whose dialogue reached the turn limit or stalled without a score of 10. */
  unsatisfied_sessions: z.array(z.number().int()),
  /** User turns of those dialogues whose score and END/CONTINUE still disagreed after asking once more. */
  disagreements: z.number().int(),
  /** `a + b` if a retry continued with another model: the models whose answers are in the record, in order of their first. */
  synthesis_model: z.string(),
  user_model: z.string(),
  assistant_model: z.string(),
  /** The models as named in their responses, sorted, without duplicates. */
  answered_by: z.array(z.string()),
  prompts_hash: z.string(),
  code_version: z.string(),
  /** Model calls of this persona, bad answers included. */
  calls: z.number().int(),
  bad_answers: z.number().int(),
  /** Calls whose answer contained reasoning, which was separated from it. */
  separated_answers: z.number().int(),
  /** Null if any call of this persona reported none. */
  input_tokens: z.number().int().nullable(),
  output_tokens: z.number().int().nullable(),
});
export type Provenance = z.infer<typeof provenanceSchema>;
