import { progressView, type Status } from '../../../cli/progress';

const STATUS: Status = { summary: 'personas 1 of 4 done', atWork: [], closed: 1, open: 3, total: 4 };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a run that stands still says why in place of its pace, once until something changes', () => {
  const { lines, view, seconds } = shown();
  seconds(1);
  expect(lines).toEqual([expect.stringContaining('0.0 calls/s, time left not known yet')]);
  view.stands('paused');
  seconds(600);
  expect(lines.slice(1)).toEqual([expect.stringMatching(/bad answers 0, paused$/m)]);
  view.stands('budget used up');
  seconds(600);
  expect(lines.slice(2)).toEqual([expect.stringMatching(/bad answers 0, budget used up$/m)]);
});

test('how long a run stood still does not count for the time left', () => {
  const { lines, view, seconds } = shown({ before: 0 });
  seconds(30);
  view.stands('paused');
  seconds(3_600);
  view.stands(undefined);
  seconds(1);
  expect(lines.at(-1)).toContain('about 2 min left');
});

test('a run that only waits for a model goes on saying so', () => {
  const { lines, seconds } = shown();
  seconds(300);
  expect(lines.length).toBeGreaterThan(3);
});

/** A view of a run of which nothing gets done, looked at every second. */
function shown(change: Partial<Status> = {}) {
  const lines: string[] = [];
  const view = progressView(
    { write: (text) => lines.push(String(text)) > 0, isTTY: false, columns: 80 },
    false,
  );
  // The first line comes once there was time for one.
  jest.advanceTimersByTime(10_000);
  return {
    lines,
    view,
    seconds: (count: number) => {
      for (let second = 0; second < count; second += 1) {
        view.update({ ...STATUS, ...change });
        jest.advanceTimersByTime(1_000);
      }
    },
  };
}
