import { PersonaWindow, type WindowState } from '../../../../workflows/synthesis/persona-window';

const BATCHES = [1, 3, 5, 7].map((first) => ({ first, count: 2 }));

/** Opens a window with room for personas of twelve dialogues each. */
function openWindow({ room = 2, state }: { room?: number; state?: WindowState } = {}): PersonaWindow {
  const settings = { nSessions: 13, describeBatch: 2 };
  return new PersonaWindow({ settings, batches: BATCHES, restarts: [], size: 12 * room }, state);
}

/** Does what the window decides, with descriptions and starts that succeed at once. Returns the personas that it starts. */
function fill(window: PersonaWindow): number[] {
  const started: number[] = [];
  while (window.canStart || window.canDescribe) {
    const ready = window.canStart ? window.takeReady() : undefined;
    if (ready === undefined) {
      describeNext(window);
    } else {
      window.beginStarting(ready.number);
      window.endStarting(ready.number);
      started.push(ready.number);
    }
  }
  return started;
}

function describeNext(window: PersonaWindow): void {
  const batch = window.takeWaiting();
  if (batch === undefined) return;
  window.beginDescribing(batch);
  const numbers = Array.from({ length: batch.count }, (_, index) => batch.first + index);
  const described = { ...batch, ref: 'run#r0.describe' };
  window.endDescribing(
    batch,
    numbers.map((number) => ({ number, described })),
  );
}

test('personas are started in order while there is room, and the next one when one closes', () => {
  const window = openWindow();
  expect(fill(window)).toEqual([1, 2]);
  window.close({ persona: 2, state: 'finished' });
  expect(fill(window)).toEqual([3]);
  expect(window.open).toEqual([1, 3]);
});

test('a persona with half of its dialogues left makes room for another, which two of them fill', () => {
  const window = openWindow();
  fill(window);
  window.ease(1);
  expect(fill(window)).toEqual([3]);
  window.ease(2);
  expect(fill(window)).toEqual([]);
});

test('a window that grows or shrinks applies to the personas that come next', () => {
  const window = openWindow();
  fill(window);
  window.size = 36;
  expect(fill(window)).toEqual([3]);
  window.size = 12;
  window.close({ persona: 1, state: 'finished' });
  expect(fill(window)).toEqual([]);
});

test('one batch is described ahead of the room, and no more', () => {
  const window = openWindow({ room: 1 });
  for (const first of [1, 3]) {
    expect(window.canDescribe).toBe(true);
    const batch = window.takeWaiting();
    expect(batch).toMatchObject({ first });
    if (batch !== undefined) window.beginDescribing(batch);
  }
  expect(window.canDescribe).toBe(false);
  expect([window.isIdle, window.isAtRest]).toEqual([false, false]);
});

test('a window is over when every persona has closed', () => {
  const window = openWindow({ room: 8 });
  const started = fill(window);
  for (const persona of started) {
    expect(window.isOver).toBe(false);
    window.close({ persona, state: persona === 5 ? 'failed' : 'finished' });
  }
  expect([window.isOver, window.finished, window.failed]).toEqual([true, 7, 1]);
});

test('a persona that finishes after a failure counts once, and none fails after it has finished', () => {
  const window = openWindow();
  window.close({ persona: 1, state: 'failed' });
  window.close({ persona: 1, state: 'finished' });
  window.close({ persona: 1, state: 'failed' });
  expect([window.finished, window.failed, window.isNew(1)]).toEqual([1, 0, false]);
});

test('a run that continues as new keeps open personas, and describes again what may not have started', () => {
  const window = openWindow();
  fill(window);
  describeNext(window);
  window.close({ persona: 1, state: 'finished' });
  const ready = window.takeReady();
  expect(ready).toMatchObject({ number: 3 });
  window.beginStarting(3);
  expect(window.state).toEqual({
    waiting: BATCHES.slice(1),
    open: [2],
    easing: [],
    finished: [1],
    failed: [],
  });
  const next = openWindow({ state: window.state });
  expect([next.open, next.finished, next.isNew(3)]).toEqual([[2], 1, true]);
});
