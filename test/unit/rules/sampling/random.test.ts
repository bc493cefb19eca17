import { deriveCallSeed, createRandom } from '../../../../rules/sampling/random';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

test('the same parts give the same choices; these are the ones that published data was made with', () => {
  const random = createRandom(42, 'example', 7);
  expect(range(8).map(() => random.integer(1000))).toEqual([187, 101, 20, 344, 766, 127, 338, 143]);
  expect(random.shuffle(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['b', 'd', 'c', 'a', 'e', 'f']);
  expect(deriveCallSeed(42, 'example', 7)).toBe(650_144_185);
});

test('parts are distinguished by place and type', () => {
  const draws = [
    [1, 23],
    [12, 3],
    ['1', 23],
    ['1,23'],
    [123],
    [23, 1],
    [1, 23, ''],
    ['\ud800'],
    ['\ud801'],
    [],
  ].map((parts) => {
    const random = createRandom(...parts);
    return range(4)
      .map(() => random.integer(2 ** 32))
      .join();
  });
  expect(new Set(draws).size).toBe(draws.length);
});

test('first choices are spread evenly over neighboring personas and seeds', () => {
  for (const sides of [2, 3, 7, 11]) {
    const counts = range(sides).map(() => 0);
    for (const seed of range(20)) {
      for (const persona of range(500)) {
        const side = createRandom(seed, 'spread', persona).integer(sides);
        counts[side] = (counts[side] ?? 0) + 1;
      }
    }
    const expected = 10_000 / sides;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // Beyond the 99.99th percentile for 10 degrees of freedom, the most here.
    expect(chiSquare).toBeLessThan(36);
  }
});

test('all orders of a shuffle are equally likely', () => {
  const counts = new Map<string, number>();
  for (const number of range(24_000)) {
    const order = createRandom('shuffle', number).shuffle(['a', 'b', 'c', 'd']).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(24);
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  expect(chiSquare).toBeLessThan(58);
});

test('a sample is distinct places in the order drawn, and leaves the list as it was', () => {
  const items = range(10);
  const firsts = new Set<number | undefined>();
  for (const number of range(200)) {
    const sample = createRandom('sample', number).sample(items, 4);
    expect(new Set(sample).size).toBe(4);
    expect(sample.every((item) => items.includes(item))).toBe(true);
    firsts.add(sample[0]);
  }
  expect(firsts.size).toBe(10);
  expect(items).toEqual(range(10));
  expect(
    createRandom(1)
      .sample(items, 10)
      .toSorted((one, other) => one - other),
  ).toEqual(items);
  expect(createRandom(1).sample(items, 0)).toEqual([]);
});

test('what cannot be drawn is an error, never undefined', () => {
  const random = createRandom(1);
  for (const bound of [0, -1, 1.5, Number.NaN, 2 ** 32 + 1])
    expect(() => random.integer(bound)).toThrow(RangeError);
  expect(random.integer(2 ** 32)).toBeGreaterThanOrEqual(0);
  expect(random.integer(1)).toBe(0);
  expect(() => random.pick([])).toThrow(RangeError);
  expect(() => random.sample([1, 2], 3)).toThrow(RangeError);
  expect(random.pick([undefined])).toBeUndefined();
});

test('call seeds stay below 2^31 and rarely meet', () => {
  const seeds = range(20_000).map((ask) => deriveCallSeed(42, 'run/p1/s1', 'user', 3, ask));
  expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
  expect(new Set(seeds).size).toBeGreaterThan(19_990);
  expect(seeds.filter((seed) => seed >= 2 ** 30).length / seeds.length).toBeCloseTo(0.5, 1);
});
