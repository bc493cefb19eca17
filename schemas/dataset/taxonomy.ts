import * as z from 'zod';
import { formatValue } from '../text/value-text';
import { FACTOR_TYPES, PREFERENCE_TYPES, TASK_TYPES } from './factor';

/** Types are written into lists, YAML and messages, so they may not contain characters with a special meaning there. */
const typeSchema = z
  .string()
  .trim()
  .superRefine((type, context) => {
    if (PLAIN_TEXT.test(type)) return;
    context.addIssue({
      code: 'custom',
      message: `expected plain text of at most 60 characters that begins with a letter (letters, digits, spaces and / & ' ( ) . + -), found ${formatValue(type)}`,
    });
  });

const PLAIN_TEXT = /^\p{L}[\p{L}\p{M}\p{N} /&'’().+-]{0,59}$/u;

const typesSchema = z
  .array(typeSchema)
  .min(2)
  .max(50)
  .superRefine((types, context) => {
    for (const [index, type] of types.entries()) {
      const first = types.findIndex((candidate) => normalizeType(candidate) === normalizeType(type));
      if (first === index) continue;
      context.addIssue({
        code: 'custom',
        path: [index],
        message: `expected different types, found ${formatValue(type)}, which is the same as ${formatValue(types[first])} but for case and punctuation`,
      });
    }
  });

/** Types of context factors, tasks and preferences, for prompts and for checking answers. */
export const taxonomySchema = z.strictObject({
  factor_types: typesSchema,
  task_types: typesSchema,
  preference_types: typesSchema,
});
export type Taxonomy = Readonly<Record<keyof z.infer<typeof taxonomySchema>, readonly string[]>>;

/** Paper, table 7; applies to runs without a taxonomy of their own. */
export const PAPER_TAXONOMY: Taxonomy = {
  factor_types: FACTOR_TYPES,
  task_types: TASK_TYPES,
  preference_types: PREFERENCE_TYPES,
};

/** Normalizes case and punctuation of a type. */
export function normalizeType(type: string): string {
  return type
    .toLowerCase()
    .replace(/\band\b/g, '')
    .replace('advice', 'advise')
    .replace('analyz', 'analys')
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');
}
