import { placeEndLabels } from '../../../../pages/report/charts/lines';

function line(series: string, ...values: readonly number[]) {
  return values.map((y, x) => ({ series, x, y }));
}

test('names beside the ends of lines keep apart, in the order of the ends, and on the chart', () => {
  const points = [
    line('high', 50, 49.9),
    line('higher', 50, 50),
    line('low', 20, 30),
    line('also high', 45, 49.9),
  ];
  const labels = placeEndLabels(points.flat(), 300);
  expect(labels.map(({ series }) => series)).toEqual(['low', 'high', 'also high', 'higher']);
  const places = labels.map(({ y }) => y);
  expect(places[0]).toBe(30);
  expect(Math.max(...places)).toBeLessThanOrEqual(50);
  const gaps = places.slice(1).map((y, at) => y - (places[at] ?? 0));
  // 15 of 230 pixels for 30 units.
  expect(Math.min(...gaps)).toBeGreaterThan(1.95);
});

test('lines that end at different places, or are too many, have a legend instead', () => {
  expect(placeEndLabels([...line('one', 1, 2), ...line('two', 1, 2, 3)], 300)).toEqual([]);
  const many = Array.from({ length: 30 }, (_, at) => line(`model ${at}`, at, at + 1)).flat();
  expect(placeEndLabels(many, 300)).toEqual([]);
});
