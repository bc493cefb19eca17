import * as z from 'zod';
import { INSTANCE_TYPES } from './instance-type';

/** Tasks of a benchmark. */
export type BenchmarkTask = 'choice' | 'generation';

/** Formats the name of a configuration with questions. @param history length to which histories are extended; undefined for the data's own */
export function formatQuestionsName(task: BenchmarkTask, history?: string): string {
  return history === undefined ? task : `${task}_${history}`;
}

/** Formats the path of a configuration's questions. */
export function formatQuestionsPath(name: string): string {
  return `${name}/test.parquet`;
}

/** Returns whether a configuration, or the path of its file, is that of a task, with histories of any length. */
export function isOfTask(task: BenchmarkTask, name: string): boolean {
  return new RegExp(`^${task}(_\\w+)?(/test\\.parquet)?$`).test(name);
}

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
