import { hasName } from '../../../../rules/texts/compare-texts';
import { isSameText } from '../../../../rules/texts/spelling';

test.each([
  ["Please sort Marisol Vega's notes.", 'Marisol Vega', true],
  ['The Conservatoire Saint-Brice’s basses are late.', 'Conservatoire Saint-Brice', true],
  ["Plans must follow Harbour Clinic's own order.", 'Harbour Clinic', true],
  ["At the teachers' lounge it is loud.", 'The Teachers’ Lounge', true],
  ['At Kaito’s Workshop it is loud.', "Kaito's Workshop", true],
  ['At Harbour View it is loud.', 'Harbour Clinic', false],
  ["The clinic's harbour is loud.", 'Harbour Clinic', false],
])('%j mentions %j: %j', (text, factor, expected) => {
  expect(hasName(text, factor)).toBe(expected);
});

test.each([
  ['Kaito’s Workshop', "kaito's workshop.", true],
  ['The “Pier” – 8', 'The "Pier" - 8', true],
  ["Kaito's Workshop", 'Kaitos Workshop', false],
])('%j and %j are the same text: %j', (a, b, expected) => {
  expect(isSameText(a, b)).toBe(expected);
});
