import { normalizeType, type Taxonomy } from '../../../schemas/dataset/taxonomy';
import type { Quality } from '../../../schemas/run/settings';
import { getFields } from './shape';

/**
 * An entry whose types are spelled as the lists spell them, where they differ from these in case, punctuation or a usual spelling only
 * ("planning", "Advice seeking", "Data analyzing"). As it was, where the reference's rules hold.
 */
export function withListedTypes(entry: unknown, quality: Quality, taxonomy: Taxonomy): unknown {
  const fields = getFields(entry);
  if (fields === undefined || quality === 'reference') return entry;
  const spelled = Object.entries(fields).map(([name, value]) => {
    const list = LISTS[name];
    if (list === undefined) return [name, value];
    const types = taxonomy[list];
    return [name, Array.isArray(value) ? value.map((one) => spell(one, types)) : spell(value, types)];
  });
  return Object.fromEntries(spelled);
}

/** The list that a field's types are from. */
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
