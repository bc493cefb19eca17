import { z } from 'zod';
import { contextFactorSchema } from './factor';
import { personaDescriptionSchema } from './persona';
import { plannedSessionSchema } from './session';
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
