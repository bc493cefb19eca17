import { renderTrend, takeReadings, type StatusReading } from '../../../../cli/status/trend';

const reading = (seconds: number, calls: number, usd = 0, errors = 0): StatusReading => ({
  atMs: seconds * 1_000,
  isRunning: true,
  calls,
  usd,
  errors,
});

test('bars show what happened between readings, a minute, the highest with the highest bar', () => {
  const readings = [reading(0, 100), reading(2, 104), reading(4, 112, 0.5), reading(6, 112, 0.5, 1)];
  expect(renderTrend(readings)).toEqual([
    'trend      ▅█▁ calls/min, at most 240',
    '           ▁█▁ cost/min, at most $15.00',
    '           ▁▁█ errors/min, at most 30',
  ]);
});

test('nothing is shown before the second reading, and no cost where there is none', () => {
  expect(renderTrend([])).toEqual([]);
  expect(renderTrend([reading(0, 3)])).toEqual([]);
  expect(renderTrend([reading(0, 3), reading(2, 3)])).toEqual([
    'trend      ▁ calls/min, none',
    '           ▁ errors/min, none',
  ]);
});

test('only the last sixty are shown, and calls that are not counted any more are none below zero', () => {
  const readings = Array.from({ length: 100 }, (_, at) => reading(at, at));
  expect(renderTrend(readings)[0]).toBe(`trend      ${'█'.repeat(60)} calls/min, at most 60`);
  expect(renderTrend([reading(0, 9), reading(2, 3)])[0]).toBe('trend      ▁ calls/min, none');
});

test('on a narrow terminal, as many are shown as fit beside their texts', () => {
  const readings = Array.from({ length: 100 }, (_, at) => reading(at, at * 2_000, at * 20));
  const lines = renderTrend(readings, 79);
  expect(lines[0]).toBe(`trend      ${'█'.repeat(40)} calls/min, at most 120,000`);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(79);
  expect(renderTrend(readings, 20)[0]).toContain(` ${'█'.repeat(5)} calls`);
});

test('a pause or a stop has no bar and lowers none, and a moment raises none', () => {
  const paused = { ...reading(4, 108), isRunning: false };
  // The answers in flight arrive in the pause.
  const late = { ...reading(900, 140), isRunning: false };
  const readings = [reading(0, 100), reading(0.1, 104), reading(2, 108), paused, late, reading(902, 140)];
  expect(renderTrend([...readings, reading(904, 148)])[0]).toBe('trend      ██ calls/min, at most 240');
  expect(renderTrend(readings.slice(-3))).toEqual([]);
});

test('a run whose ledger is unknown has no reading', () => {
  expect(takeReadings({ state: 'running' }, 0)).toEqual([]);
});
