import * as z from 'zod';
import { contextFactorSchema } from '../../../schemas/dataset/factor';
import { plannedSessionSchema } from '../../../schemas/dataset/session';
import { normalizeType, type Taxonomy } from '../../../schemas/dataset/taxonomy';
import type { Quality } from '../../../schemas/run/settings';
import { getFields } from './shape';

/**
 * Returns an entry with its types spelled as in the lists. Case, punctuation and usual variants do not matter ("planning", "Advice seeking", "Data
 * analyzing"). Under the reference's rules, the entry is returned unchanged.
 */
export function withListedTypes(entry: unknown, quality: Quality, taxonomy: Taxonomy): unknown {
  const fields = getFields(entry);
  if (fields === undefined || quality === 'reference') return entry;
  const spelled = Object.entries(fields).map(([name, value]) => {
    const list = LISTS[name];
    if (list === undefined) return [name, value];
    const types = taxonomy[list];
    return [name, Array.isArray(value) ? value.map((item) => spell(item, types)) : spell(value, types)];
  });
  return Object.fromEntries(spelled);
}

/** List of types for each field. */
const LISTS: Readonly<Record<string, keyof Taxonomy>> = {
  factor_type: 'factor_types',
  task_type: 'task_types',
  task_types: 'task_types',
  preference_type: 'preference_types',
};

function spell(value: unknown, types: readonly string[]): unknown {
  if (typeof value !== 'string') return value;
  // As in "2. Planning".
  const name = normalizeType(value.replace(/^\s*\d+[.):]\s/, ''));
  return types.find((type) => normalizeType(type) === name) ?? value;
}

/** Returns the answer schemas for the types of this taxonomy. They are built once, because a run has one taxonomy. */
export function getTypedSchemas(taxonomy: Taxonomy): ReturnType<typeof buildTypedSchemas> {
  const schemas = built.get(taxonomy) ?? buildTypedSchemas(taxonomy);
  built.set(taxonomy, schemas);
  return schemas;
}

const built = new WeakMap<Taxonomy, ReturnType<typeof buildTypedSchemas>>();

function buildTypedSchemas({ factor_types, task_types, preference_types }: Taxonomy) {
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
