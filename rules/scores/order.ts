import { INSTANCE_TYPES, type InstanceType, type InstanceKey } from '../../schemas/dataset/instance-type';

/**
 * Compares keys part by part, strings by their UTF-16 units: the same order on every machine, whatever its language.
 * A part that is null comes first.
 */
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

/** Personas by id, a persona's instances in the order of their types. */
export function compareInstances(one: TypedInstanceKey, other: TypedInstanceKey): number {
  return compareKeys(
    [one.persona_id, INSTANCE_TYPES.indexOf(one.instance_type)],
    [other.persona_id, INSTANCE_TYPES.indexOf(other.instance_type)],
  );
}

export interface TypedInstanceKey extends InstanceKey {
  readonly instance_type: InstanceType;
}
