/** What distinguishes one instance from another: `persona_id\u0000instance_type`. */
export function buildInstanceKey(persona: string, type: string): string {
  return `${persona}\u0000${type}`;
}
