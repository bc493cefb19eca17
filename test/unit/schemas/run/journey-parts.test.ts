import { isInParts, listJourneyParts, MOST_SESSIONS } from '../../../../schemas/run/journey-parts';

test('up to 20 sessions are planned in one answer', () => {
  for (let nSessions = 9; nSessions <= 20; nSessions += 1) {
    expect(listJourneyParts(nSessions)).toEqual([{ turn: 0, first: 1, last: nSessions }]);
    expect(isInParts(nSessions)).toBe(false);
  }
});

test('more are planned in parts of nearly the same length, none longer than the journeys of the paper', () => {
  for (let nSessions = 21; nSessions <= MOST_SESSIONS; nSessions += 1) {
    const parts = listJourneyParts(nSessions);
    expect(isInParts(nSessions)).toBe(true);
    expect(parts.map(({ turn }) => turn)).toEqual(parts.map((_, at) => at + 1));
    expect(parts.map(({ first }) => first)).toEqual([1, ...parts.slice(0, -1).map(({ last }) => last + 1)]);
    expect(parts.at(-1)?.last).toBe(nSessions);
    const lengths = parts.map(({ first, last }) => last - first + 1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(13);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
  }
});
