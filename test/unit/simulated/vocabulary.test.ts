import { PREFERENCE_TYPES } from '../../../schemas/factor';
import { clausesIn } from '../../../simulated/preference';
import { AXES } from '../../../simulated/vocabulary/axes';
import { WORLDS } from '../../../simulated/vocabulary/worlds';

const POLES = AXES.flatMap(({ poles }) => poles);

test('every preference type has a choice to lead with', () => {
  expect(new Set(AXES.map(({ type }) => type))).toEqual(new Set(PREFERENCE_TYPES));
});

test('a hint belongs to one pole only and holds no other hint, since the assistant goes by its words', () => {
  const hints = POLES.flatMap((pole) => pole.hints);
  for (const hint of hints) expect(hints.filter((other) => other.includes(hint))).toEqual([hint]);
});

test('a rule is told from all others by its words', () => {
  for (const pole of POLES) {
    for (const rule of pole.rules) {
      const [clause, ...others] = clausesIn(`Answers must ${rule.replaceAll('{n}', 'three')}.`);
      expect(others).toEqual([]);
      expect(clause?.axis.poles[clause.side]).toBe(pole);
    }
  }
});

test('no hint says what is missing in the words of its rule', () => {
  for (const { rules, hints } of POLES) {
    for (const hint of hints) {
      for (const rule of rules) expect(hint.toLowerCase()).not.toContain(rule.toLowerCase());
    }
  }
});

test('every world has at least twelve things to work on and eight to say about them', () => {
  for (const { topics, advice } of WORLDS) {
    expect(new Set(topics).size).toBeGreaterThanOrEqual(12);
    expect(new Set(advice).size).toBeGreaterThanOrEqual(8);
  }
});
