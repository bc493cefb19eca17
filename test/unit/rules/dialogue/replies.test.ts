import { isLastAnswer } from '../../../../rules/dialogue/replies';

const reply = (score: number, ...items: readonly number[]) => ({ score, selected: items.join(', ') });
const isLast = (replies: Parameters<typeof isLastAnswer>[1], stallTurns = 4) =>
  isLastAnswer({ maxTurns: 16, stallTurns }, replies);

/** A turn that repeats item 1 at 6, after one that reached as much. */
const STILL = [reply(6, 1, 2), reply(6, 1), reply(5, 1), reply(6, 2), reply(4, 1)];

test('the answer to the message with which the limit is reached is the last', () => {
  const replies = Array.from({ length: 14 }, (_, turn) => reply(Math.min(9, turn), turn));
  expect(isLast(replies)).toBe(false);
  expect(isLast([...replies, reply(9, 99)])).toBe(true);
});

test('so is the one after four turns without a higher score or another item, and none sooner', () => {
  expect(isLast(STILL)).toBe(true);
  for (let length = 0; length < STILL.length; length += 1) expect(isLast(STILL.slice(0, length))).toBe(false);
});

test('a higher score or another item in any of them goes on', () => {
  for (let turn = 1; turn < STILL.length; turn += 1) {
    expect(isLast(STILL.with(turn, reply(7, 1)))).toBe(false);
    expect(isLast(STILL.with(turn, reply(6, 3)))).toBe(false);
  }
});

test('what was reached before the last four turns counts, however long ago', () => {
  expect(isLast([reply(3, 1), reply(8, 2), reply(7, 1), ...STILL.slice(1)])).toBe(true);
});

test('0 turns are never a stall', () => {
  expect(isLast([...STILL, ...STILL], 0)).toBe(false);
});
