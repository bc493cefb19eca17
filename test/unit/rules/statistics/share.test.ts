import { ShareCounter } from '../../../../rules/statistics/share';

function count(personas: readonly (readonly [number, number])[]) {
  const counter = new ShareCounter();
  for (const [at, [found, of]] of personas.entries()) counter.add(`${at}`, found, of);
  return counter.end();
}

test('independent cases have the interval of Wilson', () => {
  const personas = Array.from({ length: 100 }, (_, at) => [at < 10 ? 1 : 0, 1] as const);
  const figure = count(personas);
  expect(figure).toMatchObject({ share: 0.1, count: 10, total: 100 });
  // 0.0552 and 0.1744 with the formula for 100 cases.
  expect(figure?.interval.low).toBeCloseTo(0.0552, 2);
  expect(figure?.interval.high).toBeCloseTo(0.1744, 2);
});

test('cases that personas have in common count for less', () => {
  const width = (figure: ReturnType<typeof count>) =>
    (figure?.interval.high ?? 0) - (figure?.interval.low ?? 0);
  const alike = count(Array.from({ length: 20 }, (_, at) => [at % 2 === 0 ? 10 : 0, 10] as const));
  const mixed = count(Array.from({ length: 20 }, (_, at) => [at === 0 ? 6 : 5, 10] as const));
  expect(alike?.share).toBe(0.5);
  expect(width(alike)).toBeGreaterThan(2 * width(mixed));
});

test('none among 20 personas leaves up to a sixth, however much each of them has', () => {
  expect(count(Array.from({ length: 20 }, () => [0, 12] as const))?.interval).toMatchObject({
    low: 0,
    high: expect.closeTo(0.161, 3),
  });
});

test('nothing to count is no figure', () => {
  expect(count([])).toBeUndefined();
  expect(count([[0, 0]])).toBeUndefined();
});
