import timers from 'node:timers/promises';
import { keepAnswer } from '../../../activities/keep-answer';
import { JournalError } from '../../../data/run/journal';
import type { RunEvent } from '../../../activities/run-events';

// The waits of ten seconds take no time here.
beforeEach(() => jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined));
afterEach(() => jest.restoreAllMocks());

const DENIED = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

/** Writes an answer with these results, one for each try; stops the worker before the try with that number. */
async function keep(results: readonly (Error | string)[], stopBefore = Infinity) {
  const stopping = new AbortController();
  const events: RunEvent[] = [];
  let tries = 0;
  let holds = 0;
  const gate = {
    stopping: stopping.signal,
    hold() {
      holds += 1;
      return () => {
        holds -= 1;
      };
    },
  };
  const write = async () => {
    tries += 1;
    if (tries >= stopBefore) stopping.abort();
    const result = results[Math.min(tries, results.length) - 1];
    if (typeof result !== 'string') throw result;
    return result;
  };
  const emit = (event: RunEvent) => void events.push(event);
  const kept = await keepAnswer(write, { gate, emit }).catch((error: unknown) => error);
  return { kept, tries, holds, events: events.map((event) => event.type) };
}

test.each<[string, readonly (Error | string)[], number | undefined, object]>([
  ['a disk that works', ['kept'], undefined, { kept: 'kept', tries: 1, events: [] }],
  [
    'a disk that works later',
    [DENIED, DENIED, DENIED, DENIED, 'kept'],
    undefined,
    { kept: 'kept', tries: 5, events: ['delayed', 'delayed', 'delayed', 'delayed'] },
  ],
  [
    'a disk that works while the worker stops',
    [DENIED, DENIED, 'kept'],
    2,
    { kept: 'kept', tries: 3, events: ['delayed', 'delayed'] },
  ],
  [
    'a worker that stops in vain',
    [DENIED],
    2,
    { kept: DENIED, tries: 4, events: ['delayed', 'delayed', 'delayed', 'noticed'] },
  ],
])('%s', async (_, results, stopBefore, expected) => {
  expect(await keep(results, stopBefore)).toEqual({ holds: 0, ...expected });
});

test('a damaged answer under the same key is not waited for', async () => {
  const damaged = new JournalError('damaged');
  expect(await keep([damaged])).toEqual({ kept: damaged, tries: 1, holds: 0, events: [] });
});
