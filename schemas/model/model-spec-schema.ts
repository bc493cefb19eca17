import { z } from 'zod';
import { parseModelSpec } from './model-spec';

/** A SPEC as text, checked to be one. */
export const modelSpecSchema = z.string().superRefine((text, context) => {
  try {
    parseModelSpec(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
});
