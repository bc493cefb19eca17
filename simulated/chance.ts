import type { Random } from '../rules/sampling/random';

/** True in so many of a hundred cases. */
export function happens(random: Random, percent: number): boolean {
  return random.integer(100) < percent;
}
