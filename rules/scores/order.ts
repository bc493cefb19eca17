import { INSTANCE_TYPES, type InstanceType, type InstanceKey } from '../../schemas/dataset/instance-type';

/** Compares keys part by part, strings by their UTF-16 units, because these give the same order in every locale. Null comes first. */
export function compareKeys(
  one: readonly (string | number | null)[],
  other: readonly (string | number | null)[],
): number {
  for (const [place, part] of one.entries()) {
    const counterpart = other[place] ?? null;
    if (part === counterpart) continue;
    if (part === null) return -1;
    if (counterpart === null) return 1;
    return part < counterpart ? -1 : 1;
  }
  return 0;
}

/** Orders by persona id, then by the order of instance types. */
export function compareInstances(one: TypedInstanceKey, other: TypedInstanceKey): number {
  return compareKeys(
    [one.persona_id, INSTANCE_TYPES.indexOf(one.instance_type)],
    [other.persona_id, INSTANCE_TYPES.indexOf(other.instance_type)],
  );
}

export interface TypedInstanceKey extends InstanceKey {
  readonly instance_type: InstanceType;
}
