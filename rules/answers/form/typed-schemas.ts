import { z } from 'zod';
import { contextFactorSchema, type ContextFactor } from '../../../schemas/dataset/factor';
import { plannedSessionSchema, type PlannedSession } from '../../../schemas/dataset/session';
import type { Taxonomy } from '../../../schemas/dataset/taxonomy';

/** The forms of answers whose types must be those of a taxonomy. */
interface TypedSchemas {
  readonly factor: z.ZodType<ContextFactor>;
  readonly session: z.ZodType<PlannedSession>;
}

/** The schemas for answers with the types of this taxonomy only. A run has one, so that they are built once. */
export function getTypedSchemas(taxonomy: Taxonomy): TypedSchemas {
  const known = built.get(taxonomy) ?? buildTypedSchemas(taxonomy);
  built.set(taxonomy, known);
  return known;
}

const built = new WeakMap<Taxonomy, TypedSchemas>();

function buildTypedSchemas({ factor_types, task_types, preference_types }: Taxonomy): TypedSchemas {
  const taskType = z.enum(task_types);
  return {
    factor: contextFactorSchema.extend({
      factor_type: z.enum(factor_types),
      task_types: z.array(taskType).min(1),
      preference_type: z.enum(preference_types),
    }),
    session: plannedSessionSchema.extend({ task_type: taskType }),
  };
}
