import * as z from 'zod';
import { parseModelSpec } from './model-spec';

/** A valid SPEC as text. */
export const modelSpecSchema = z.string().superRefine((text, context) => {
  try {
    parseModelSpec(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
});
