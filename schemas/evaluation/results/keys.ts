import type * as z from 'zod';
import { evaluationRowSchema } from '../evaluation';

/** Everything in a cell's key but the model under test: models are compared within one setting. */
export const settingSchema = evaluationRowSchema.pick({
  task: true,
  context: true,
  evaluator: true,
  evaluator_form: true,
  decomposer: true,
});
export type Setting = z.infer<typeof settingSchema>;

/** Columns that identify a cell of the results. */
export const cellKeySchema = settingSchema.extend({ model: evaluationRowSchema.shape.model });
export type CellKey = z.infer<typeof cellKeySchema>;

/** A matcher or judge: the model and the form of its prompt. */
export const evaluatorNameSchema = settingSchema.pick({ evaluator: true, evaluator_form: true });
export type EvaluatorName = z.infer<typeof evaluatorNameSchema>;

/** The instance of a study's result, and how it was answered. */
export const answerKeySchema = evaluationRowSchema.pick({
  persona_id: true,
  instance_type: true,
  model: true,
  context: true,
});
export type AnswerKey = z.infer<typeof answerKeySchema>;
