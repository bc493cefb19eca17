import { INSTANCE_TYPES, type InstanceType, type InstanceKey } from '../../schemas/dataset/instance-type';

/** Compares keys part by part, strings by their UTF-16 units, because these give the same order in every locale. Null comes first. */
export function compareKeys(
  a: readonly (string | number | null)[],
  b: readonly (string | number | null)[],
): number {
  for (const [place, part] of a.entries()) {
    const counterpart = b[place] ?? null;
    if (part === counterpart) continue;
    if (part === null) return -1;
    if (counterpart === null) return 1;
    return part < counterpart ? -1 : 1;
  }
  return 0;
}

/** Orders by persona id, then by the order of instance types. */
export function compareInstances(a: TypedInstanceKey, b: TypedInstanceKey): number {
  return compareKeys(
    [a.persona_id, INSTANCE_TYPES.indexOf(a.instance_type)],
    [b.persona_id, INSTANCE_TYPES.indexOf(b.instance_type)],
  );
}

export interface TypedInstanceKey extends InstanceKey {
  readonly instance_type: InstanceType;
}
