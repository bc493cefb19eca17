import { z } from 'zod';
import { failedWorkSchema, unansweredSchema } from './outcome';
import { promptPackSchema } from './prompts';
import { plannedPersonaSchema } from '../dataset/persona';
import { runInputsSchema } from './run';

/** A workflow's history in protobuf's JSON form, as Temporal's own tools read and write it. */
export const recordedHistorySchema = z.looseObject({
  events: z.array(z.looseObject({ eventId: z.coerce.string(), eventType: z.string() })).min(1),
});
export type RecordedHistory = z.infer<typeof recordedHistorySchema>;

/** Everything that is needed to see what was done, away from the run and its engine. Holds no secret. */
export const bundleSchema = z.object({
  format: z.literal(2),
  /** What the recording is of: a dialogue, a persona, or the run itself. */
  work: z.object({
    persona: z.number().int().positive().optional(),
    session: z.number().int().positive().optional(),
  }),
  /** What failed; absent when the work was recorded for another reason. */
  failed: failedWorkSchema.optional(),
  /** Present when the persona was complete. */
  finished: z.literal(true).optional(),
  /** True when a model of the run was simulated, or the data that its personas are from. */
  simulated: z.boolean(),
  versions: z.object({
    program: z.string(),
    /** Of the workflows that the run was carried out with. */
    workflows: z.string(),
    temporalServer: z.string().optional(),
  }),
  /** The run's settings and restarts. */
  inputs: runInputsSchema,
  /** The run's prompts; absent in bundles of earlier versions, whose entries lack the plan of a dialogue's persona, too. */
  prompts: promptPackSchema.optional(),
  /** Templates of all personas in the recorded persona's description batch. */
  templates: z.array(plannedPersonaSchema).optional(),
  /** Template of the persona alone, in bundles of earlier versions. */
  template: plannedPersonaSchema.optional(),
  /** The journal's entries of the work, and of what it depends on, each with its SHA-256 as in its file. */
  entries: z.array(z.custom<object>((entry) => typeof entry === 'object' && entry !== null)),
  /** Why attempts have no answer, by their keys; absent in bundles of earlier versions. */
  unanswered: z.record(z.string(), unansweredSchema).optional(),
  /** Of the workflow that did the work: of a dialogue, its persona's. Absent when it was unavailable. */
  history: recordedHistorySchema.optional(),
  /** What was unavailable for the bundle, and why. */
  lacks: z.array(z.string()),
});
export type Bundle = z.infer<typeof bundleSchema>;
