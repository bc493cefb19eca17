import type { ScoreRow } from '../../../schemas/evaluation/evaluation';

/** The instance of a study's result, and how it was answered. */
export type AnswerKey = Pick<ScoreRow, 'persona_id' | 'instance_type' | 'model' | 'context'>;

export function getAnswerKey({ persona_id, instance_type, model, context }: ScoreRow): AnswerKey {
  return { persona_id, instance_type, model, context };
}
