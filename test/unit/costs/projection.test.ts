import { projectionOf, projectTrials } from '../../../costs/projection';

test('a run comes to what it took and what is left, and takes as long as its calls of late let expect', () => {
  const taken = { calls: 500, usd: 2, perMinute: 100 };
  expect(projectionOf(taken, { calls: 1500, usd: 6 })).toEqual({
    callsLeft: 1500,
    calls: 2000,
    usd: 8,
    secondsLeft: 900,
  });
  expect(projectionOf({ ...taken, perMinute: 0 }, { calls: 1500, usd: 6 })).not.toHaveProperty('secondsLeft');
});

describe('an evaluation', () => {
  test('is not projected before a trial is done', () => {
    expect(
      projectTrials({ all: 10, done: 0, open: 4 }, { calls: 90, usd: 1, perMinute: 60 }),
    ).toBeUndefined();
  });

  test('goes on as its trials so far went, open ones counted by half', () => {
    expect(projectTrials({ all: 20, done: 3, open: 4 }, { calls: 500, usd: 2, perMinute: 100 })).toEqual({
      callsLeft: 1500,
      calls: 2000,
      usd: 8,
      secondsLeft: 900,
    });
  });

  test('never comes to less than was taken', () => {
    const taken = { calls: 50, usd: 1, perMinute: 10 };
    expect(projectTrials({ all: 2, done: 2, open: 4 }, taken)).toMatchObject({ callsLeft: 0, calls: 50 });
  });
});
