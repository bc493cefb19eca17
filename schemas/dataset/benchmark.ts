import * as z from 'zod';
import { INSTANCE_TYPES } from './instance-type';

/** Path of the questions of the configuration `choice`. */
export const CHOICE_FILE = 'choice/test.parquet';
/** Path of the questions of the configuration `generation`. */
export const GENERATION_FILE = 'generation/test.parquet';

const keyShape = { persona_id: z.string(), instance_type: z.enum(INSTANCE_TYPES) };

/** A row of the configuration `choice`, its columns in order. */
export const choiceQuestionSchema = z.object({
  ...keyShape,
  /** The history, the request and the question. */
  input: z.string(),
  /** Preferences to choose from. */
  choices: z.array(z.string()),
  /** Index of the right choice, from 0. */
  answer: z.number().int(),
});
export type ChoiceQuestion = z.infer<typeof choiceQuestionSchema>;

/** A row of the configuration `generation`, its columns in order. */
export const generationQuestionSchema = z.object({
  ...keyShape,
  /** The history and the request. */
  input: z.string(),
  /** The preference that the response must satisfy, with its checklist. */
  target: z.string(),
});
export type GenerationQuestion = z.infer<typeof generationQuestionSchema>;
