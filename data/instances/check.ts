import { toUSVString } from 'node:util';
import { z } from 'zod';
import { type Instance, INSTANCE_TYPES } from '../../schemas/instance';
import { shown } from './error';

/** A row that is an instance, or what keeps it from being one: a sentence for each, with the field in front. */
export type CheckedRow = { readonly instance: Instance } | { readonly problems: readonly string[] };

/** Checks a row of a data set. Columns that CUPID does not have are left out. */
export function checkRow(value: unknown): CheckedRow {
  const checked = rowSchema.safeParse(value);
  if (checked.success) return { instance: checked.data };
  return {
    problems: checked.error.issues.map((issue) =>
      issue.path.length === 0 ? issue.message : `field ${fieldName(issue.path)}: ${issue.message}`,
    ),
  };
}

/** `prior_interactions[2].dialogue[3].role` */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);
}

// A message may be empty: the assistant's sometimes are in data of the reference program, and do no harm.
const message = z.string({ error: expecting('a text') }).refine(isWellFormed, {
  error:
    'half of a surrogate pair, which is no character: the text was cut inside a character or decoded wrongly.',
  abort: true,
});

const text = message.refine((content) => content.trim() !== '', {
  error: 'expected a text, found an empty one.',
});

const dialogue = z
  .array(
    z.object(
      {
        role: z.enum(['user', 'assistant'], { error: expecting('"user" or "assistant"') }),
        content: message,
      },
      { error: expecting('an object with role and content') },
    ),
    { error: expecting('a list of messages') },
  )
  .min(1, { error: 'expected at least one message, found an empty list.' })
  .superRefine((messages, context) => {
    const index = messages.findIndex(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant'));
    if (index < 0) return;
    const expected = index % 2 === 0 ? '"user"' : '"assistant"';
    context.addIssue({
      code: 'custom',
      path: [index, 'role'],
      message:
        `expected ${expected}, since the user begins and the roles alternate, found ${shown(messages[index]?.role)}. ` +
        'Join messages of one side that follow each other.',
    });
  });

const rowSchema = z.object(
  {
    persona_id: text,
    instance_type: z.enum(INSTANCE_TYPES, {
      error: expecting(`one of ${INSTANCE_TYPES.map((type) => `"${type}"`).join(', ')}`),
    }),
    current_request: text,
    current_context_factor: text,
    current_contextual_preference: text,
    current_checklist: z
      .array(text, { error: expecting('a list of texts') })
      .min(1, { error: 'expected at least one entry, found an empty list.' }),
    prior_interactions: z
      .array(
        z.object(
          { context_factor: text, contextual_preference: text, dialogue },
          { error: expecting('an object with context_factor, contextual_preference and dialogue') },
        ),
        { error: expecting('a list of prior interactions') },
      )
      .min(1, { error: 'expected at least one prior interaction, found an empty list.' }),
  },
  { error: expecting('an object with the columns of CUPID') },
) satisfies z.ZodType<Instance>;

/** The columns that a data set must have. */
export const INSTANCE_FIELDS: readonly string[] = Object.keys(rowSchema.shape);

function expecting(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => `expected ${what}, found ${shown(input)}.`;
}

function isWellFormed(content: string): boolean {
  return toUSVString(content) === content;
}
