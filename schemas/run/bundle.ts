import * as z from 'zod';
import { FOLDER_FORMAT } from './folder-format';
import { failedWorkSchema, unansweredSchema } from './outcome';
import { promptPackSchema } from './prompts';
import { plannedPersonaSchema } from '../dataset/persona';
import { runInputsSchema } from './run';

/** A workflow's history in protobuf's JSON form, which Temporal's own tools read and write. */
export const recordedHistorySchema = z.looseObject({
  events: z.array(z.looseObject({ eventId: z.coerce.string(), eventType: z.string() })).min(1),
});
export type RecordedHistory = z.infer<typeof recordedHistorySchema>;

/** Everything that shows what was done, independent of the run and its engine. Contains no secret. */
export const bundleSchema = z.object({
  format: z.literal(FOLDER_FORMAT),
  /** The recorded work: a dialogue, a persona, or the run itself. */
  work: z.object({
    persona: z.number().int().positive().optional(),
    session: z.number().int().positive().optional(),
  }),
  /** The failure; absent if the work was recorded for another reason. */
  failure: failedWorkSchema.optional(),
  /** Present if the persona was complete. */
  finished: z.literal(true).optional(),
  /** True if a model of the run, or of the data that its personas come from, was simulated. */
  simulated: z.boolean(),
  versions: z.object({
    program: z.string(),
    /** Version of the workflows that carried out the run. */
    code: z.string(),
    temporalServer: z.string().optional(),
  }),
  /** The run's settings and restarts. */
  inputs: runInputsSchema,
  prompts: promptPackSchema,
  /** Templates of all personas in the recorded persona's description batch. */
  templates: z.array(plannedPersonaSchema),
  /** Journal entries of the work and of everything it depends on, each with its SHA-256 as in its file. */
  entries: z.array(z.custom<object>((entry) => typeof entry === 'object' && entry !== null)),
  /** Why attempts have no answer, by their keys. */
  unansweredCalls: z.record(z.string(), unansweredSchema),
  /** History of the workflow that did the work; for a dialogue, its persona's. Absent if it was unavailable. */
  history: recordedHistorySchema.optional(),
  /** Parts that were unavailable, and why. */
  missingParts: z.array(z.string()),
});
export type Bundle = z.infer<typeof bundleSchema>;
