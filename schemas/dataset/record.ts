import * as z from 'zod';
import { mapValues } from '../map-values';
import { contextFactorSchema } from './factor';
import { messageFormSchema, messageSchema } from './message';
import { modelSpecSchema } from '../model/model-spec-schema';
import { personaSchema } from './persona';
import { sessionSchema } from './session';
import { MODEL_ROLES } from '../model/model-role';

/** A simulated dialogue in the form of CUPID-Raw. Roles alternate, the user first. The last is the user, unless the dialogue is unsatisfied. */
export const interactionSchema = z.object({
  session_id: z.number().int().positive(),
  preference: z.string(),
  checklist: z.array(z.string()),
  chat: z.array(messageSchema),
  /** False if the dialogue ended without a score of 10. */
  is_satisfied: z.boolean(),
});
export type Interaction = z.infer<typeof interactionSchema>;

/**
 * Everything synthesized for one persona: a row of CUPID-Raw. The last session has no interaction. A new field is optional, because stored records
 * lack it. Add it to publishing/import/records.ts and data/sets/check-record.ts as well.
 */
export const personaRecordSchema = z.object({
  /** `{id}+{occupation}`, lower case, `/` as ` and `, spaces as `_`. */
  persona_id: z.string(),
  persona: personaSchema,
  context_factors: z.array(contextFactorSchema),
  sessions: z.array(sessionSchema),
  interactions: z.array(interactionSchema),
});
export type PersonaRecord = z.infer<typeof personaRecordSchema>;

/** A persona's record in the artifact store, with the source of its rows' provenance. */
export const storedPersonaSchema = z.object({
  record: personaRecordSchema,
  workflow_id: z.string(),
  /** Number of restarts of its work; absent for none. */
  revision: z.number().int().positive().optional(),
  /** SPECs whose answers are in this record, by role, in order of their first answer; absent if only the settings' models answered. */
  models: z.partialRecord(z.enum(MODEL_ROLES), z.array(modelSpecSchema).min(1)).optional(),
  /** User turns whose score and END/CONTINUE still disagreed after asking once more; the score decided. */
  disagreements: z.array(z.object({ session: z.number().int(), turn: z.number().int() })),
  /** Checklist items, from 1, that the user selected in a dialogue (paper, figure 19), as it wrote them: they may not exist. */
  selections: z.array(z.object({ session: z.number().int(), items: z.array(z.number().int()) })),
  /** For each dialogue, the scores of the user's turns (paper, B.4), in order. */
  scores: z.array(z.object({ session: z.number().int(), scores: z.array(z.number().int()) })),
  /** Tokens of each dialogue's messages: counting them takes time, of which the end of a run has none. */
  dialogue_tokens: z.array(z.number().int().nonnegative()),
  answered_by: z.array(z.string()),
  /** Version of the program that stored this record. */
  code_version: z.string(),
  /** Calls of all revisions, like the bad answers and the tokens below: everything that was paid for the persona. */
  calls: z.number().int(),
  bad_answers: z.number().int(),
  /** Answers from which reasoning was separated; absent if there were none. */
  separated_answers: z.number().int().optional(),
  input_tokens: z.number().int().nullable(),
  output_tokens: z.number().int().nullable(),
});
export type StoredPersona = z.infer<typeof storedPersonaSchema>;

const anyText = () => z.string();

/** A row of CUPID-Raw from any source: its columns and their types, with any values. */
export const recordFormSchema = personaRecordSchema.extend({
  persona: personaSchema.extend({ id: z.number().int(), description: z.string(), occupation: z.string() }),
  context_factors: z.array(
    contextFactorSchema.extend({
      ...mapValues(contextFactorSchema.shape, anyText),
      task_types: z.array(z.string()),
    }),
  ),
  sessions: z.array(
    sessionSchema.extend({
      ...mapValues(sessionSchema.shape, anyText),
      id: z.number().int(),
      resource: z.string().nullish(),
      checklist: z.array(z.string()),
    }),
  ),
  interactions: z.array(
    interactionSchema.extend({ session_id: z.number().int(), chat: z.array(messageFormSchema) }),
  ),
});
export type RecordForm = z.infer<typeof recordFormSchema>;
export type FactorForm = RecordForm['context_factors'][number];
