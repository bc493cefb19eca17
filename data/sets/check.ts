import * as z from 'zod';
import type { Instance } from '../../schemas/dataset/instance';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import {
  anyTextSchema,
  type CheckedRow,
  checkRow,
  buildDialogueSchema,
  listEmptyMessages,
  textSchema,
  textsSchema,
} from './row-form';

/** Checks that a row of a data set is an instance, for evaluation and validation alike. Columns that CUPID does not have are left out. */
export function checkInstance(value: unknown): CheckedRow<Instance> {
  // A message may be empty: the assistant's sometimes are in data of the reference program, and do no harm.
  return checkRow(instanceForm, value, ({ prior_interactions: prior }) =>
    prior.flatMap(({ dialogue }, index) =>
      listEmptyMessages(dialogue, `prior_interactions[${index}].dialogue`),
    ),
  );
}

const instanceForm = z.object({
  persona_id: textSchema,
  instance_type: z.enum(INSTANCE_TYPES),
  current_request: textSchema,
  current_context_factor: textSchema,
  current_contextual_preference: textSchema,
  current_checklist: textsSchema,
  prior_interactions: z
    .array(
      z.object({
        context_factor: textSchema,
        contextual_preference: textSchema,
        dialogue: buildDialogueSchema(anyTextSchema).min(1),
      }),
    )
    .min(1),
}) satisfies z.ZodType<Instance>;
