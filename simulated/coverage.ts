import type { MatchLabel } from '../schemas/evaluation';
import { clausesIn, poleOf, type Clause } from './preference';
import { AXES } from './vocabulary/axes';
import { wordOverlap } from './word-overlap';

/** How far a preference covers a checklist entry: the same expectation, another one on the same matter, or none. */
export function coverage(entry: string, preference: string): MatchLabel {
  const [asked] = clausesIn(entry);
  const held = clausesIn(preference);
  if (asked === undefined || held.length === 0) return overlapping(wordOverlap(entry, preference));
  if (held.some(({ axis, side }) => axis === asked.axis && side === asked.side)) return 'Fully Covered';
  const close = held.some(({ axis }) => axis.group === asked.axis.group && axis !== asked.axis);
  return close ? 'Partially Covered' : 'Not Covered';
}

/** How far a response shows what a checklist entry asks for. */
export type Showing = 'shown' | 'partly' | 'missing';

/** Whether a response does what a checklist entry asks: by its sentences where they are this model's, else by its words. */
export function showing(entry: string, response: string): Showing {
  const [asked] = clausesIn(entry);
  const lower = response.toLowerCase();
  const spoken = SHOWS.filter(({ pieces }) => follow(pieces, lower));
  if (asked !== undefined && spoken.length > 0) return shownAmong(asked, spoken);
  const label = overlapping(wordOverlap(entry, response));
  return label === 'Fully Covered' ? 'shown' : label === 'Partially Covered' ? 'partly' : 'missing';
}

function shownAmong(asked: Clause, spoken: readonly Pick<Clause, 'axis' | 'side'>[]): Showing {
  if (spoken.some(({ axis, side }) => axis === asked.axis && side === asked.side)) return 'shown';
  return spoken.some(({ axis }) => axis.group === asked.axis.group && axis !== asked.axis)
    ? 'partly'
    : 'missing';
}

/** Shares of common words that count as covered, fully and in part. */
const FULL = 0.5;
const PART = 0.25;

function overlapping(share: number): MatchLabel {
  if (share >= FULL) return 'Fully Covered';
  return share >= PART ? 'Partially Covered' : 'Not Covered';
}

/** The sentences that carry out an expectation, in the pieces that stand around what they are about. */
const SHOWS = AXES.flatMap((axis) =>
  ([0, 1] as const).flatMap((side) =>
    poleOf({ axis, side }).shows.map((sentence) => ({
      axis,
      side,
      pieces: sentence.toLowerCase().split('{topic}'),
    })),
  ),
);

/** Whether the pieces follow one another in a text, with something in between. */
function follow(pieces: readonly string[], text: string): boolean {
  let from = 0;
  return pieces.every((piece) => {
    const place = text.indexOf(piece, from);
    from = place + piece.length + 1;
    return place >= 0;
  });
}
