import { FACTOR_TYPES, PREFERENCE_TYPES, TASK_TYPES } from '../../../schemas/dataset/factor';
import type { Quality } from '../../../schemas/run/settings';
import { getFields } from './shape';

/**
 * An entry whose types are spelled as the lists spell them, where they differ from these in case, punctuation or a usual spelling only
 * ("planning", "Advice seeking", "Data analyzing"). As it was, where the reference's rules hold.
 */
export function withListedTypes(entry: unknown, quality: Quality): unknown {
  const fields = getFields(entry);
  if (fields === undefined || quality === 'reference') return entry;
  const spelled = Object.entries(fields).map(([name, value]) => {
    const types = LISTS[name];
    if (types === undefined) return [name, value];
    return [name, Array.isArray(value) ? value.map((one) => spell(one, types)) : spell(value, types)];
  });
  return Object.fromEntries(spelled);
}

const LISTS: Readonly<Record<string, readonly string[]>> = {
  factor_type: FACTOR_TYPES,
  task_type: TASK_TYPES,
  task_types: TASK_TYPES,
  preference_type: PREFERENCE_TYPES,
};

function spell(value: unknown, types: readonly string[]): unknown {
  if (typeof value !== 'string') return value;
  return types.find((type) => normalize(type) === normalize(value)) ?? value;
}

function normalize(type: string): string {
  return type
    .toLowerCase()
    .replace(/\band\b/g, '')
    .replace('advice', 'advise')
    .replace('analyz', 'analys')
    .replaceAll(/[^a-z]/g, '');
}
