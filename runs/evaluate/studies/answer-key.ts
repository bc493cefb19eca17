import type { ScoreRow } from '../../../schemas/evaluation/evaluation';
import type { AnswerKey } from '../../../schemas/evaluation/results/keys';

export function getAnswerKey({ persona_id, instance_type, model, context }: ScoreRow): AnswerKey {
  return { persona_id, instance_type, model, context };
}
