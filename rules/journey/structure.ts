import type { JourneyStructure, SessionRole } from '../../schemas/dataset/session';
import { createRandom } from '../sampling/random';

/**
 * Draws the role of each session of a persona's journey (paper, B.3). Factor A has four sessions before the last two: two with the original
 * preference, then two with the changed one. Its contrastive partner B has two other sessions. The last session has factor A and the changed
 * preference. Session 1 is index 0.
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
  // Never the session before the last, so that the last request does not simply continue from it.
  const [p, q, r, s] = random.sample(positions.slice(0, -1), 4).toSorted((a, b) => a - b);
  const otherPositions = positions.filter((position) => ![p, q, r, s].includes(position));
  const partners = random.sample(otherPositions, 2);
  return Array.from({ length: nSessions }, (_, position): SessionRole => {
    if (position === p || position === q) return 'A';
    if (position === r || position === s || position === last) return "A'";
    return partners.includes(position) ? 'B' : 'free';
  });
}

/**
 * Draws the place of factor A in the contrastive pair, for a journey that is planned in parts. In one answer, the model chooses; but a first part
 * may have no session of the pair.
 */
export function drawFactorA({ seed, personaId }: { seed: number; personaId: number }): 0 | 1 {
  return createRandom(seed, 'factor A', personaId).pick([0, 1]);
}
