import { z } from 'zod';
import { INSTANCE_TYPES } from './instance-type';

const share = z.number().min(0).max(1);
const intervalSchema = z.object({ low: z.number(), high: z.number() });

const shareSchema = z.object({
  share,
  count: z.number().int().nonnegative(),
  of: z.number().int().positive(),
  /** 95 %, for data of which these are a sample: personas are drawn, their rows are not independent. */
  interval: intervalSchema,
});
export type ShareFigure = z.infer<typeof shareSchema>;

const sampledSchema = z.object({
  mean: z.number(),
  /** 95 %, over the blocks; absent with one. */
  interval: intervalSchema.optional(),
  /** Blocks of 200 messages that were drawn. */
  blocks: z.number().int().positive(),
});
export type SampledFigure = z.infer<typeof sampledSchema>;

/** Figures of a data set's quality (docs/data-quality.md has what is normal); absent where there is nothing to count. */
export const dataFiguresSchema = z.object({
  /** Instances whose request has at least half of the words of the preference that a model must infer. */
  leakage: shareSchema.optional(),
  /** The share of a preference's words that its request has as well, over the instances. */
  preferenceInRequest: z.object({ mean: share, most: share }).optional(),
  /** Checklist items of the relevant sessions that the user simulator selected in their dialogues; the data sets do not hold this. */
  selection: shareSchema.optional(),
  /** Checklist items of the instances that the user's messages in a relevant prior dialogue touch on, by their words. */
  coverage: shareSchema.optional(),
  /** The user's messages after the request that quote neither the preference nor an item of its checklist. */
  indirectness: shareSchema.optional(),
  /** Dialogues whose user was satisfied with the first answer. */
  endedAtFirstAnswer: shareSchema.optional(),
  /** Dialogues that ended without a satisfied user: at the turn limit, or because they had stalled. */
  unsatisfied: shareSchema.optional(),
  /** Those of them that ended at the turn limit, which only a run's settings give. */
  endedAtTurnLimit: shareSchema.optional(),
  /** By instance type: the mean position, from 1, of the relevant prior sessions. */
  relevantPositions: z.partialRecord(
    z.enum(INSTANCE_TYPES),
    z.object({ mean: z.number(), instances: z.number().int().positive() }),
  ),
  /** Of the user's messages: different pairs of words among all pairs, and size over compressed size. */
  distinct2: sampledSchema.optional(),
  compressionRatio: sampledSchema.optional(),
  /** Personas with the given and family name of another one. */
  repeatedNames: shareSchema.optional(),
  /** Personas whose description is nearly that of an earlier one. */
  nearDuplicatePersonas: shareSchema.optional(),
  /** Of the types of factors, preferences and tasks: 1 where all types of the paper's table 7 are equally frequent, 0 where there is one. */
  entropy: z.object({ factorTypes: share, preferenceTypes: share, taskTypes: share }).optional(),
});
export type DataFigures = z.infer<typeof dataFiguresSchema>;
