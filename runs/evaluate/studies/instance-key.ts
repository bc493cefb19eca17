import type { ScoreRow } from '../../../schemas/evaluation/evaluation';

/** The instance of a study's result, and how it was answered. */
export type InstanceKey = Pick<ScoreRow, 'persona_id' | 'instance_type' | 'model' | 'context'>;

export function getInstanceKey({ persona_id, instance_type, model, context }: ScoreRow): InstanceKey {
  return { persona_id, instance_type, model, context };
}
