import { z } from 'zod';
import type { Instance } from '../../schemas/instance';
import { INSTANCE_TYPES } from '../../schemas/instance-type';
import {
  anyText,
  type CheckedRow,
  checkedBy,
  dialogueOf,
  emptyMessages,
  expecting,
  text,
  texts,
} from './row-form';

/** Checks that a row of a data set is an instance. Columns that CUPID does not have are left out. */
export function checkInstance(value: unknown): CheckedRow<Instance> {
  // A message may be empty: the assistant's sometimes are in data of the reference program, and do no harm.
  return checkedBy(instanceForm, value, ({ prior_interactions: prior }) =>
    prior.flatMap(({ dialogue }, index) => emptyMessages(dialogue, `prior_interactions[${index}].dialogue`)),
  );
}

const instanceForm = z.object(
  {
    persona_id: text,
    instance_type: z.enum(INSTANCE_TYPES, {
      error: expecting(`one of ${INSTANCE_TYPES.map((type) => `"${type}"`).join(', ')}`),
    }),
    current_request: text,
    current_context_factor: text,
    current_contextual_preference: text,
    current_checklist: texts,
    prior_interactions: z
      .array(
        z.object(
          {
            context_factor: text,
            contextual_preference: text,
            dialogue: dialogueOf(anyText).min(1, {
              error: 'expected at least one message, found an empty list.',
            }),
          },
          { error: expecting('an object with context_factor, contextual_preference and dialogue') },
        ),
        { error: expecting('a list of prior interactions') },
      )
      .min(1, { error: 'expected at least one prior interaction, found an empty list.' }),
  },
  { error: expecting('an object with the columns of CUPID') },
) satisfies z.ZodType<Instance>;
