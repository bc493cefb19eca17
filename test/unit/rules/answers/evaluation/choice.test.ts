import { checkChoice } from '../../../../../rules/answers/evaluation/choice';
import { formatLetter } from '../../../../../schemas/evaluation/choice';

const OPTIONS = ['Answers must be brief.', 'A table must come first.', 'Name three sources.', 'Be kind.'];

test.each([
  ['### Choice\n\nB', 1],
  ['### Choice\nB', 1],
  ['### Choice: C', 2],
  ['**Choice:** C', 2],
  ['B', 1],
  ['b', 1],
  ['(D)', 3],
  ['[A]', 0],
  ['**B**', 1],
  ['B.', 1],
  ['B)', 1],
  ['Ｂ', 1],
  ['`C`', 2],
  ['\\boxed{C}', 2],
  ['$\\boxed{\\text{C}}$', 2],
  ['Answer: C', 2],
  ['The answer is C.', 2],
  ['The best option is (C).', 2],
  ['Option D', 3],
  ['Final answer: **D**', 3],
  ['B. A table must come first.', 1],
  ['**B) A table must come first**', 1],
  ['B - A table must come first', 1],
  ['A table must come first.', 1],
  ['The sessions show tables everywhere.\n\n### Choice\n\nB', 1],
  ['### Choice\n\nA\n\n### Choice\n\nB', 1],
  ['The user wants tables.\nA short one, too.\n\nB', 1],
  ['B\n\nB', 1],
  ['<think>A? No, C.</think>\n### Choice\n\nC', 2],
  ['```\n### Choice\n\nC\n```', 2],
])('%j is a choice', (text, index) => {
  expect(checkChoice(text, OPTIONS)).toEqual({ ok: true, value: index });
});

test.each([
  [''],
  ['### Choice'],
  ['### Choice\n\n<letter>'],
  ['E'],
  ['### Choice\n\nE'],
  ['A or B'],
  ['A, B'],
  ['A/B'],
  ['AB'],
  ['A\nB'],
  ['### Choice\n\nA\nC'],
  ['A concise answer is best.'],
  ['I cannot tell.'],
  ['B. Answers must be brief.'],
  ['3'],
  ['A. Answers must be brief.\nB. A table must come first.\nC. Name three sources.\nD. Be kind.'],
  ['All of them'],
  ['B\n\nE'],
])('%j is no choice', (text) => {
  expect(checkChoice(text, OPTIONS).ok).toBe(false);
});

test('the reason says what is expected and what was read', () => {
  expect(checkChoice('### Choice\n\nE', OPTIONS)).toEqual({
    ok: false,
    reason: 'the section "### Choice" must hold one letter from A to D and nothing else, but it reads "E".',
  });
});

test('letters follow the order of the options', () => {
  expect(OPTIONS.map((_, at) => formatLetter(at))).toEqual(['A', 'B', 'C', 'D']);
});
