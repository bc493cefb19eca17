import { checkAssistantTurn } from '../../../../../rules/answers/synthesis/dialogue';
import { checkChecklist } from '../../../../../rules/answers/synthesis/checklist';
import { renderFencedJson, getReason, getValue } from '../../examples';

test.each([1, 2, 3, 4])('a checklist of %i questions is read out of the text around it', (count) => {
  const questions = Array.from({ length: count }, (_, index) => `Is part ${index + 1} there?`);
  const padded = questions.map((question) => ` ${question}\n`);
  expect(getValue(checkChecklist(renderFencedJson({ checklist: padded })))).toEqual(questions);
});

test.each([
  [
    ['1. Is it short?', '2. Is it free of prices?'],
    ['Is it short?', 'Is it free of prices?'],
  ],
  [['1) Is it short?'], ['Is it short?']],
  [
    ['2. Is it short?', '1. Is it kind?'],
    ['2. Is it short?', '1. Is it kind?'],
  ],
  [
    ['1. Is it short?', 'Is it kind?'],
    ['1. Is it short?', 'Is it kind?'],
  ],
  [['1.5 pages or less?'], ['1.5 pages or less?']],
])('of the questions %j, only numbers of a list are removed', (checklist, questions) => {
  expect(getValue(checkChecklist(renderFencedJson({ checklist })))).toEqual(questions);
});

test.each<[unknown, string]>([
  [{ checklist: ['...'] }, 'checklist entry 1 is no question: "...".'],
  [{ checklist: ['Is it?', 'N/A'] }, 'checklist entry 2 is no question: "N/A".'],
  [{ checklist: ['[first question]'] }, 'checklist entry 1 is no question: "[first question]".'],
  [{ checklist: [] }, 'the checklist must have 1 to 4 entries, but it has 0.'],
  [{ checklist: ['a', 'b', 'c', 'd', 'e'] }, 'the checklist must have 1 to 4 entries, but it has 5.'],
  [{ checklist: ['a', ' '] }, 'checklist entry 2 is empty.'],
  [{ checklist: ['Is it?', 'b', 'is it? '] }, 'checklist entry 3 repeats entry 1: "is it?".'],
  // é as one character, and as e with an accent; A and a full-width A.
  [{ checklist: ['Caf\u00e9?', 'Cafe\u0301?'] }, 'checklist entry 2 repeats entry 1: "Cafe\u0301?".'],
  [{ checklist: ['Plan A?', 'Plan \uff21?'] }, 'checklist entry 2 repeats entry 1: "Plan \uff21?".'],
  [{ checklist: ['a', { question: 'b' }] }, 'checklist entry 2 must be a text.'],
  [{ checklist: 'a' }, 'the answer holds no list under the key "checklist".'],
  [{ questions: ['a'] }, 'the answer holds no list under the key "checklist".'],
])('%j is refused: %s', (answer, reason) => {
  expect(getReason(checkChecklist(renderFencedJson(answer)))).toBe(reason);
});

test("the assistant's message is anything but nothing, stripped", () => {
  expect(getValue(checkAssistantTurn('\n **Sure.** 😀 \n'))).toBe('**Sure.** 😀');
  expect(getReason(checkAssistantTurn(' \n'))).toBe('the answer is empty.');
  expect(getReason(checkAssistantTurn('Sure \ud83d.'))).toMatch(/lone surrogate/);
});
