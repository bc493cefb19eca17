import * as fc from 'fast-check';
import { checkErrorType } from '../../../../../rules/answers/evaluation/error-type';
import { ERROR_TYPES } from '../../../../../schemas/evaluation/evaluation';
import { renderFencedJson, getReason, getValue } from '../../examples';

test('a type and its explanation are read back as they are rendered', () => {
  const explanations = fc.string({ unit: 'grapheme' }).map((text) => `It ${text}`.trim());
  fc.assert(
    fc.property(fc.constantFrom(...ERROR_TYPES), explanations, (type, explanation) => {
      expect(getValue(checkErrorType(renderFencedJson({ explanation, type })))).toEqual({
        type,
        explanation,
      });
      expect(getValue(checkErrorType(JSON.stringify({ type, explanation })))).toEqual({ type, explanation });
    }),
  );
});

test.each([
  ['incorrect context', 'Incorrect Context'],
  ['**Shallow Inference**', 'Shallow Inference'],
  ['Vagueness.', 'Vagueness'],
  ['HALLUCINATION', 'Hallucination'],
  ['shallow_inference', 'Shallow Inference'],
])('a type written %j is %s', (written, type) => {
  expect(getValue(checkErrorType(renderFencedJson({ explanation: ' So. ', type: written })))).toEqual({
    type,
    explanation: 'So.',
  });
});

const TYPES = '"type" must be one of "Incorrect Context", "Shallow Inference", "Vagueness", "Hallucination"';

test.each<[unknown, string]>([
  [{ explanation: 'So.', type: 'Vague' }, `${TYPES}, not "Vague".`],
  [
    { explanation: 'So.', type: 'Vagueness and Hallucination' },
    `${TYPES}, not "Vagueness and Hallucination".`,
  ],
  [{ explanation: 'So.', type: ['Vagueness'] }, `${TYPES}.`],
  [{ explanation: 'So.' }, `${TYPES}.`],
  [{ type: 'Vagueness' }, '"explanation" must be a text that says why.'],
  [{ type: 'Vagueness', explanation: ' ' }, '"explanation" must be a text that says why.'],
  [{}, `"explanation" must be a text that says why; ${TYPES}.`],
  [['Vagueness'], 'the answer must be a mapping with "explanation" and "type".'],
  ['Vagueness', 'the answer must be a mapping with "explanation" and "type".'],
])('%j is refused: %s', (answer, reason) => {
  expect(getReason(checkErrorType(renderFencedJson(answer)))).toBe(reason);
});

test('a type in words alone is refused', () => {
  expect(getReason(checkErrorType('Vagueness'))).toMatch(/contains no JSON/);
});
