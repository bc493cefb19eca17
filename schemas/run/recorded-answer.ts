import { z } from 'zod';
import { contextFactorSchema } from '../dataset/factor';
import { personaDescriptionSchema } from '../dataset/persona';
import { plannedSessionSchema } from '../dataset/session';
import type { SynthesisStep } from './step';

/** A model's answer as a workflow's history holds it: the journal key, and what its check made of the text. */
export const recordedAnswerSchema = z.intersection(
  z.object({ key: z.string() }),
  z.union([
    z.object({ ok: z.literal(true), value: z.unknown(), doubt: z.string().optional() }),
    z.object({ ok: z.literal(false), reason: z.string() }),
  ]),
);
export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>;

const unansweredSchema = z.object({
  key: z.string(),
  unanswered: z.object({ kind: z.string(), cause: z.string() }),
});

/** What one of several calls of an activity came to: an answer, or none. */
const recordedOutcomeSchema = z.union([recordedAnswerSchema, unansweredSchema]);
export type RecordedOutcome = z.infer<typeof recordedOutcomeSchema>;

/** A turn that one activity made the first calls of, as a history holds it. */
export const recordedTurnSchema = z.object({
  assistant: recordedOutcomeSchema,
  user: recordedOutcomeSchema.optional(),
});

/** A persona's plan that one activity made the first calls of, as a history holds it. */
export const recordedPlanSchema = z.object({
  factors: recordedOutcomeSchema,
  journey: recordedOutcomeSchema.optional(),
  checklists: z.array(recordedOutcomeSchema).optional(),
});

/** The value that a usable answer gives, by step. */
export const ANSWER_VALUES = {
  describe: z.array(personaDescriptionSchema),
  factors: z.array(contextFactorSchema),
  journey: z.object({ sessions: z.array(plannedSessionSchema) }),
  checklist: z.array(z.string()),
  assistant: z.string(),
  user: z.object({
    score: z.number(),
    decision: z.enum(['CONTINUE', 'END']),
    selected: z.string(),
    message: z.string(),
    disagrees: z.boolean(),
  }),
} as const satisfies Record<SynthesisStep, z.ZodType>;
