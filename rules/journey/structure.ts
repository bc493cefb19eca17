import type { JourneyStructure, SessionRole } from '../../schemas/dataset/session';
import { createRandom } from '../sampling/random';

/**
 * What each session of a persona's journey is for (paper, B.3): factor A four times before the last two sessions, twice with
 * the original preference and twice with the changed one, and once more, changed, in the last; its contrastive partner B in two
 * other sessions. Session 1 is index 0.
 */
export function drawStructure(drawing: {
  nSessions: number;
  seed: number;
  personaId: number;
}): JourneyStructure {
  const { nSessions, seed, personaId } = drawing;
  const random = createRandom(seed, 'journey', personaId);
  const last = nSessions - 1;
  const positions = Array.from({ length: last }, (_, position) => position);
  // Never the one before the last, so that the last request does not simply continue from the session before it.
  const [p, q, r, s] = random.sample(positions.slice(0, -1), 4).toSorted((one, other) => one - other);
  const others = positions.filter((position) => ![p, q, r, s].includes(position));
  const partners = random.sample(others, 2);
  return Array.from({ length: nSessions }, (_, position): SessionRole => {
    if (position === p || position === q) return 'A';
    if (position === r || position === s || position === last) return "A'";
    return partners.includes(position) ? 'B' : 'free';
  });
}
