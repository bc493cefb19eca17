import { QUALIFICATION } from '../../rules/review/qualification';
import type { MatchLabel } from '../../schemas/matching/match-label';

/** Returns the right label of an item of the qualification of `cupid review`. Undefined for an item of the data. */
export function findAnswer(item: string): MatchLabel | undefined {
  const answers = QUALIFICATION.flatMap(({ checklist, answers: own }) =>
    checklist.flatMap((one, at) => (one === item ? (own[at] ?? []) : [])),
  );
  return answers[0];
}
