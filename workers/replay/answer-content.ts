import * as z from 'zod';
import { contextFactorSchema } from '../../schemas/dataset/factor';
import { personaDescriptionSchema } from '../../schemas/dataset/persona';
import { plannedSessionSchema } from '../../schemas/dataset/session';
import type { SynthesisStep } from '../../schemas/run/step';

/** Schemas for the value of an accepted answer, by step. */
const SCHEMAS = {
  describe: z
    .array(personaDescriptionSchema)
    .transform((personas) => ({ form: 'descriptions' as const, personas })),
  factors: z.array(contextFactorSchema).transform((factors) => ({ form: 'factors' as const, factors })),
  journey: z
    .object({ sessions: z.array(plannedSessionSchema) })
    .transform(({ sessions }) => ({ form: 'sessions' as const, sessions })),
  checklist: z.array(z.string()).transform((items) => ({ form: 'checklist' as const, items })),
  assistant: z.string().transform((message) => ({ form: 'message' as const, message })),
  user: z
    .object({
      score: z.number(),
      decision: z.enum(['CONTINUE', 'END']),
      selected: z.string(),
      message: z.string(),
    })
    .transform(({ selected, ...turn }) => ({ form: 'user turn' as const, ...turn, selection: selected })),
} as const satisfies Record<SynthesisStep, z.ZodType>;

/** Content of an accepted answer. */
export type AnswerContent = z.infer<(typeof SCHEMAS)[SynthesisStep]>;

/** Reads the content of an answer from the value of its check; undefined for a value of another step. */
export function readAnswerContent(step: SynthesisStep, value: unknown): AnswerContent | undefined {
  return SCHEMAS[step].safeParse(value).data;
}
