import { projectionOf } from '../../../rules/projection';

describe('what a run will have come to', () => {
  test('is not guessed before a piece of work is closed', () => {
    expect(
      projectionOf({ all: 10, closed: 0, open: 4 }, { calls: 90, usd: 1, perMinute: 60 }),
    ).toBeUndefined();
  });

  test('follows from what pieces took so far, open ones counted by half', () => {
    expect(projectionOf({ all: 20, closed: 3, open: 4 }, { calls: 500, usd: 2, perMinute: 100 })).toEqual({
      calls: 2_000,
      usd: 8,
      secondsLeft: 900,
    });
  });

  test('has no time while no call is answered', () => {
    expect(projectionOf({ all: 2, closed: 1, open: 0 }, { calls: 50, usd: 0, perMinute: 0 })).toEqual({
      calls: 100,
      usd: 0,
    });
  });

  test('is never less than what was taken', () => {
    const taken = { calls: 50, usd: 1, perMinute: 10 };
    expect(projectionOf({ all: 2, closed: 2, open: 4 }, taken)).toEqual({
      calls: 50,
      usd: 1,
      secondsLeft: 0,
    });
  });
});
