import { planVerdict } from '../../../../models/simulated/dialogue-plan';

const DIALOGUES = 10_000;
const TURN_LIMIT = 16;
const ITEMS = ['Is it short?', 'Is it dated?', 'Is it signed?'];

test('dialogues have the lengths of the published ones: 3.9 user messages, 0.6 % at the turn limit', () => {
  const lengths = Array.from({ length: DIALOGUES }, (_, seed) => userMessages(`Opening ${seed}.`));
  expect(Math.abs(lengths.reduce((sum, length) => sum + length, 0) / DIALOGUES - 3.9)).toBeLessThan(0.1);
  const endless = lengths.filter((length) => length === TURN_LIMIT).length / DIALOGUES;
  expect(endless).toBeGreaterThan(0.003);
  expect(endless).toBeLessThan(0.009);
});

/** Counts as the pipeline does: the user's last message ends the dialogue, unless the turn limit comes first. */
function userMessages(opening: string): number {
  for (let n = 1; n < TURN_LIMIT; n += 1) {
    if (planVerdict(opening, 'A profile.', ITEMS, n).raised === undefined) return n + 1;
  }
  return TURN_LIMIT;
}
