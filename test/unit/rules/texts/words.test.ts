import { assert, property, string } from 'fast-check';
import { hashLetters } from '../../../../rules/texts/text-hash';
import { containsAnyRun, containsRun, splitIntoWords } from '../../../../rules/texts/words';

test.each([
  ["It's FINE, the 2nd try!", ["it's", 'fine', 'the', '2nd', 'try']],
  ["'quoted', o'clock's, 5'6", ['quoted', "o'clock's", '5', '6']],
  ['It’s ﬁne — Ångström', ["it's", 'fine', 'ångström']],
  ['…', []],
])('%s is split into words', (text, words) => {
  expect(splitIntoWords(text)).toEqual(words);
});

test('the words of a text do not depend on whether another one is ASCII', () => {
  assert(
    property(string({ unit: 'binary-ascii' }), (text) => {
      expect(splitIntoWords(`${text} é`)).toEqual([...splitIntoWords(text), 'é']);
    }),
  );
});

test('texts with the same words have the same letters', () => {
  const texts = ["Don't stop: 2 fine ways!", 'don’t STOP 2 ﬁne ways', "don't — stop, 2 fine ways"];
  expect(new Set(texts.map((text) => splitIntoWords(text).join(' '))).size).toBe(1);
  expect(new Set(texts.map(hashLetters)).size).toBe(1);
  expect(hashLetters('do not stop')).not.toBe(hashLetters("don't stop"));
});

test.each([
  [['a', 'b', 'c'], ['b', 'c'], true],
  [['a', 'b', 'a', 'b', 'c'], ['a', 'b', 'c'], true],
  [['a', 'b', 'c'], ['a', 'c'], false],
  [['b', 'c'], ['b', 'c', 'd'], false],
  [['a'], [], false],
])('among %j, the run %j: %j', (words, run, expected) => {
  expect(containsRun(words, run)).toBe(expected);
});

test.each([
  [['x', 'b', 'c', 'x'], ['a', 'b', 'c', 'd'], 2, true],
  [['x', 'b', 'c', 'x'], ['a', 'b', 'c', 'd'], 3, false],
  [['c', 'd'], ['a', 'b', 'c', 'd'], 2, true],
  [['a'], ['a'], 2, false],
])('among %j, any run of %j of %j words: %j', (words, list, length, expected) => {
  expect(containsAnyRun(words, list, length)).toBe(expected);
});
