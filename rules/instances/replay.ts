import type { Instance } from '../../schemas/dataset/instance';
import type { ReplayedSession } from '../../schemas/dataset/replay';

/** Lists the prior sessions of an instance without their labels. A message's id is `s3:t5` for the fifth of session 3. */
export function replaySessions({
  prior_interactions: sessions,
}: Pick<Instance, 'prior_interactions'>): ReplayedSession[] {
  return sessions.map(({ dialogue }, at) => {
    const id = formatSessionId(at + 1);
    return {
      id,
      messages: dialogue.map(({ role, content }, turn) => ({ id: `${id}:t${turn + 1}`, role, content })),
    };
  });
}

/** Formats the id of a session by its number among an instance's, from 1. */
export function formatSessionId(number: number): string {
  return `s${number}`;
}
