import * as z from 'zod';
import { GUESSES } from './guess';
import { INSTANCE_TYPES } from './instance-type';

const share = z.number().min(0).max(1);
export const intervalSchema = z.object({ low: z.number(), high: z.number() });

export const shareSchema = z.object({
  share,
  count: z.number().int().nonnegative(),
  total: z.number().int().positive(),
  /** 95 % interval, if these data are a sample: whole personas are drawn, because their rows are not independent. */
  interval: intervalSchema,
});
export type ShareFigure = z.infer<typeof shareSchema>;

/** Share of the personas, and their ids. */
const namedShareSchema = shareSchema.extend({ personas: z.array(z.string()) });

const sampledSchema = z.object({
  mean: z.number(),
  /** 95 % interval over the blocks; absent with one. */
  interval: intervalSchema.optional(),
  /** Number of sampled blocks of 200 messages. */
  blocks: z.number().int().positive(),
});
export type SampledFigure = z.infer<typeof sampledSchema>;

const guessSchema = shareSchema.omit({ count: true }).extend({
  /** Interval that contains the share in 95 % of cases for all guesses together, since one of seven easily exceeds chance. */
  interval: intervalSchema,
  /** Share of right answers of a random choice. */
  chance: share,
});
export type GuessFigure = z.infer<typeof guessSchema>;

/** Figures of a data set's quality (docs/data-quality.md has normal values); absent if there is nothing to count. */
export const dataFiguresSchema = z.object({
  /** Instances whose request has at least half of the words of the preference that a model must infer. */
  leakage: shareSchema.optional(),
  /** Share of a preference's words that its request also has, over the instances. */
  preferenceInRequest: z.object({ mean: share, maximum: share }).optional(),
  /** Checklist items of the relevant sessions that the user simulator selected in their dialogues; data sets do not contain this. */
  selection: shareSchema.optional(),
  /** Checklist items of the instances that the user's messages in a relevant prior dialogue refer to, by their words. */
  coverage: shareSchema.optional(),
  /** User messages after the request that quote neither the preference nor an item of its checklist. */
  indirectness: shareSchema.optional(),
  /** Dialogues whose user was satisfied with the first answer. */
  endedAtFirstAnswer: shareSchema.optional(),
  /** Dialogues that ended without a satisfied user: at the turn limit, or because they stalled. */
  unsatisfiedDialogues: shareSchema.optional(),
  /** Unsatisfied dialogues that ended at the turn limit, which only a run's settings tell. */
  endedAtTurnLimit: shareSchema.optional(),
  /** Mean position, from 1, of the relevant prior sessions, by instance type. */
  relevantPositions: z.partialRecord(
    z.enum(INSTANCE_TYPES),
    z.object({ mean: z.number(), instances: z.number().int().positive() }),
  ),
  /** Right guesses among the choices between a persona's preferences (`cupid eval --task choice`). Equal candidates count as a fraction. */
  guesses: z.partialRecord(z.enum(GUESSES), guessSchema).optional(),
  /** Instances whose persona shows fewer than two preferences to choose between, or not the right one. */
  withoutChoice: shareSchema.optional(),
  /** Personas with two options of nearly the same words, and the first such pair of each. */
  nearlyEqualOptions: shareSchema
    .extend({
      pairs: z.array(z.object({ persona_id: z.string(), preferences: z.tuple([z.string(), z.string()]) })),
    })
    .optional(),
  /** Personas whose changed preference equals the original one. */
  unchangedPreference: namedShareSchema.optional(),
  /** Variety of the user's messages: different pairs of words among all pairs, and size divided by compressed size. */
  distinct2: sampledSchema.optional(),
  compressionRatio: sampledSchema.optional(),
  /** Personas with the given and family name of another one. */
  repeatedNames: namedShareSchema.optional(),
  /** Personas whose description is nearly that of an earlier one. */
  nearDuplicatePersonas: namedShareSchema.optional(),
  /** Entropy of the types of factors, preferences and tasks: 1 if all types of the paper's table 7 are equally frequent, 0 if there is only one. */
  entropy: z.object({ factorTypes: share, preferenceTypes: share, taskTypes: share }).optional(),
});
export type DataFigures = z.infer<typeof dataFiguresSchema>;
