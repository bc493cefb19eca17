import { findSides, SIDES } from '../../../../models/simulated/preference';
import { REPLIES, WORLDS } from '../../../../models/simulated/vocabulary';

test('a sentence of feedback reveals one side only and contains no other, since assistants go by its words', () => {
  const sentences = SIDES.flatMap(({ critiques, asks, praise }) => [...critiques, ...asks, ...praise]);
  for (const sentence of sentences) {
    expect(sentences.filter((other) => other.includes(sentence))).toEqual([sentence]);
  }
});

test('a rule is identified by its words', () => {
  for (const side of SIDES) {
    for (const rule of side.rules) expect(findSides(`Answers must ${rule}.`)).toEqual([side]);
  }
});

test('no feedback reveals a preference in the words of its rule', () => {
  for (const { rules, critiques, asks } of SIDES) {
    for (const sentence of [...critiques, ...asks]) {
      for (const rule of rules) expect(sentence.toLowerCase()).not.toContain(rule.toLowerCase());
    }
  }
});

test('every world has at least twelve things to work on', () => {
  for (const { topics } of WORLDS) expect(new Set(topics).size).toBeGreaterThanOrEqual(12);
});

test('a user has another way to repeat a request for every turn of the longest dialogue', () => {
  expect(new Set(REPLIES.user.again).size).toBeGreaterThanOrEqual(14);
});
