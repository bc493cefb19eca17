// The command line imports this module, so it does not import zod.

export const INSTANCE_TYPES = ['consistent', 'contrastive', 'changing'] as const;
export type InstanceType = (typeof INSTANCE_TYPES)[number];

export interface InstanceKey {
  readonly persona_id: string;
  readonly instance_type: string;
}

/** Returns the key as one string, for look-ups: `persona_id\u0000instance_type`. */
export function buildInstanceKey({ persona_id, instance_type }: InstanceKey): string {
  return `${persona_id}\u0000${instance_type}`;
}
