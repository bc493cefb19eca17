import type { MatchLabel } from '../../schemas/evaluation/evaluation';
import { findSides, SIDES, type Side } from './preference';
import { computeWordOverlap } from './text';

/** How far a preference covers a checklist entry: the same expectation, another one of its type, or none. */
export function rateCoverage(entry: string, preference: string): MatchLabel {
  const [asked] = findSides(entry);
  const known = findSides(preference);
  if (asked === undefined || known.length === 0) return rateOverlap(computeWordOverlap(entry, preference));
  return rateSides(asked, known);
}

/** How far a response does what a checklist entry asks: by its sentences where they are this model's, else by its words. */
export function rateResponse(entry: string, response: string): MatchLabel {
  const [asked] = findSides(entry);
  const lower = response.toLowerCase();
  const shown = SHOWS.filter(({ pieces }) => pieces.every((piece) => lower.includes(piece)));
  if (asked === undefined || shown.length === 0) return rateOverlap(computeWordOverlap(entry, response));
  return rateSides(
    asked,
    shown.map(({ side }) => side),
  );
}

function rateSides(asked: Side, sides: readonly Side[]): MatchLabel {
  if (sides.includes(asked)) return 'Fully Covered';
  return sides.some(({ type, choice }) => type === asked.type && choice !== asked.choice)
    ? 'Partially Covered'
    : 'Not Covered';
}

/** From the share of common words. */
function rateOverlap(share: number): MatchLabel {
  if (share >= 0.5) return 'Fully Covered';
  return share >= 0.25 ? 'Partially Covered' : 'Not Covered';
}

/** The sentences that carry out an expectation, in the pieces around what they are about. */
const SHOWS = SIDES.map((side) => ({ side, pieces: side.shows.toLowerCase().split('{topic}') }));
