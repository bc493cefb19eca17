import { checkChoice } from '../../../../../rules/answers/evaluation/choice';
import { readChoice } from '../../../../../rules/answers/evaluation/choice-grammar';
import { formatLetter } from '../../../../../schemas/evaluation/choice';

const OPTIONS = ['Answers must be brief.', 'A table must come first.', 'Name three sources.', 'Be kind.'];

describe('a letter is read', () => {
  test.each([
    // Below the heading, and without it.
    ['### Choice\n\nB', 1],
    ['### Choice\nB', 1],
    ['### Choice: C', 2],
    ['**Choice:** C', 2],
    ['### Choice\n\nA\n\n### Choice\n\nB', 1],
    ['The sessions show tables everywhere.\n\n### Choice\n\nB', 1],
    ['The user wants tables.\nA short one, too.\n\nB', 1],
    ['Option A is stale. Option B is current.\n\nAnswer: B', 1],
    ['<think>A? No, C.</think>\n### Choice\n\nC', 2],
    // In any marks.
    ['B', 1],
    ['b', 1],
    ['(D)', 3],
    ['(d)', 3],
    ['[A]', 0],
    ['{A}', 0],
    ['<B>', 1],
    ['"B"', 1],
    ["'B'", 1],
    ['“B”', 1],
    ['„B“', 1],
    ['«B»', 1],
    ['「B」', 1],
    ['**B**', 1],
    ['**(B)**', 1],
    ['__B__', 1],
    ['`C`', 2],
    ['B.', 1],
    ['B)', 1],
    ['B:', 1],
    ['B!', 1],
    ['Ｂ', 1],
    ['（Ｂ）', 1],
    ['Ⓑ', 1],
    ['✅ B', 1],
    ['B ✅', 1],
    ['- B', 1],
    ['> B', 1],
    ['### B', 1],
    ['→ B', 1],
    ['```\nB\n```', 1],
    ['```\n### Choice\n\nC\n```', 2],
    ['B\n\n---', 1],
    ['\\boxed{C}', 2],
    ['$\\boxed{\\text{C}}$', 2],
    ['\\boxed{\\textbf{B}}', 1],
    ['\\(\\boxed{B}\\)', 1],
    ['\\[\\boxed{B}\\]', 1],
    ['$\\mathrm{B}$', 1],
    ['<b>B</b>', 1],
    ['<answer>B</answer>', 1],
    ['<final_answer>\nB\n</final_answer>', 1],
    ['{"choice":"B"}', 1],
    ['{"answer": "(B)"}', 1],
    ['```json\n{"reason": "A is stale.", "choice": "B"}\n```', 1],
    ['{"choice": "B", "reason": "It is newer."}', 1],
    // Behind a label.
    ['Answer: C', 2],
    ['ANSWER - B', 1],
    ['Answer = B', 1],
    ['Answer B', 1],
    ['Option D', 3],
    ['Letter: b', 1],
    ['Final answer: **D**', 3],
    ['My choice: B', 1],
    ['The answer is C.', 2],
    ['The answer is (B).', 1],
    ['The answer is: B', 1],
    ['The best option is (C).', 2],
    ['The correct answer is option B.', 1],
    ['The most likely preference is B.', 1],
    ['The right one is B', 1],
    ['So the answer is B.', 1],
    ['I think the answer is B.', 1],
    ['Based on the previous sessions, the answer is B.', 1],
    ['I choose B.', 1],
    ["I'd go with option B.", 1],
    ['Option B is correct.', 1],
    ['B is the best option.', 1],
    ['B fits best.', 1],
    ['Antwort: B', 1],
    ['Die richtige Antwort ist B.', 1],
    ['Réponse : B', 1],
    ['La respuesta correcta es B.', 1],
    ['Risposta: B', 1],
    ['Ответ: B', 1],
    ['答案：B', 1],
    ['正确答案是B。', 1],
    ['答え：B', 1],
    ['정답: B', 1],
    // Again, with its text, or with a reason.
    ['B\n\nB', 1],
    ['B\n\n**Answer: B**', 1],
    ['B. A table must come first.', 1],
    ['(B) A table must come first.', 1],
    ['B A table must come first.', 1],
    ['B\nA table must come first.', 1],
    ['**B) A table must come first**', 1],
    ['B - A table must come first', 1],
    ['B: “A table must come first.”', 1],
    ['B. A table must come', 1],
    ['B. A table must come first, because she asked for it.', 1],
    ['A. Answers must be brief. (session 4)', 0],
    ['B, because it is newer', 1],
    ['B because it is newer', 1],
    ['B, since session 7 asks for it', 1],
    ['B (the concise one)', 1],
    ['B, as she asked for it in session 7', 1],
    ['B\n\nBecause it is newer.', 1],
    ['B\n\nReason: it is newer.', 1],
    ['### Choice\n\nB\n\n### Reasoning\n\nIt is newer.', 1],
    ['B, weil es neuer ist', 1],
    ['B，因为更新', 1],
    ['B, because tables help. A concise reply suits her.', 1],
    ['B (it has been so since session 4)', 1],
  ])('%j', (text, index) => {
    expect(checkChoice(text, OPTIONS)).toEqual({ ok: true, value: index });
  });
});

test.each([
  ['A table must come first.', 1],
  ['a table must come first', 1],
  ['“A table must come first.”', 1],
  ['"A table must come first"', 1],
  ['A table must come', 1],
  ['A table must come.', 1],
  ['Answer: A table must come first.', 1],
  ['**Be kind**', 3],
  ['Be kind, because she is sad.', 3],
])('the text of an option is read: %j', (text, index) => {
  expect(checkChoice(text, OPTIONS)).toEqual({ ok: true, value: index });
});

describe('what rejects its option, or may mean another one, is no choice', () => {
  test.each([
    [''],
    ['### Choice'],
    ['### Choice\n\n<letter>'],
    ['E'],
    ['### Choice\n\nE'],
    ['3'],
    ['I cannot tell.'],
    ['All of them'],
    ['None of the options'],
    // Two letters.
    ['A or B'],
    ['Both A and B'],
    ['Either A or B'],
    ['A, B'],
    ['A/B'],
    ['A & B'],
    ['AB'],
    ['A\nB'],
    ['- A\n- B'],
    ['(A) or (B)'],
    ['Answer: A or B'],
    ['["A", "B"]'],
    ['{"choice": ["A", "B"]}'],
    ['{"choice": "A", "second": "B"}'],
    ['### Choice\n\nA\nC'],
    ['B\n\nE'],
    ['B, not A'],
    ['B rather than A'],
    ['B (not A)'],
    ['B, because A is stale'],
    ['B, because option a is stale'],
    ['B, because (a) is stale'],
    ['B, because A clearly changed. A fits no more.'],
    ['B. A was stale.'],
    ['A) or b)'],
    ['Based on A, the answer is B.'],
    // Rejected, or taken back.
    ['A) was her earlier wish, so the answer is B.'],
    ['A - outdated since session 5\nThe right one is B'],
    ['A: no, session 3 contradicts it.'],
    ['A\n\nWait, B fits better.'],
    ['A. Rejected because it is stale.'],
    ['A (outdated)'],
    ['A (no longer valid)'],
    ['A, because it is brief. Actually, no.'],
    ['A, since session 5 says otherwise'],
    ['A is stale.'],
    ['A is not correct.'],
    ['A is right only if she is in a hurry.'],
    ['A?'],
    ['A ❌'],
    ['❌ A'],
    ['~~A~~'],
    ['not A'],
    ['Not A.'],
    ['The answer is not A.'],
    ["The answer isn't A."],
    ["I don't think the answer is A."],
    ['Rejected: A'],
    ['### Choice\n\nA\n\n### Correction\n\nB'],
    ['### Choice\n\nA\n\nThe user changed this wish in session 7.'],
    // Another text than the letter says.
    ['B. Answers must be brief.'],
    ['B (Answers must be brief)'],
    ['B. A table must come first. Name three sources.'],
    ['A table must come first and last.'],
    ['A. Answers must be brief.\nB. A table must come first.\nC. Name three sources.\nD. Be kind.'],
    // An article, and letters in words.
    ['A concise answer is best.'],
    ['A concise reply suits her'],
    ['Answer: A concise reply suits her'],
    ['A-level results matter.'],
    ["A's wish"],
    ['Because she asked for it.'],
    ['Plan B'],
  ])('%j', (text) => {
    expect(checkChoice(text, OPTIONS).ok).toBe(false);
  });
});

test('a text that lacks its last word is read only if one option begins so', () => {
  const alike = ['Keep every answer short', 'Keep every answer long', 'Keep every answer'];
  expect(checkChoice('Keep every answer long', alike)).toMatchObject({ value: 1 });
  expect(checkChoice('Keep every answer', alike)).toMatchObject({ value: 2 });
  expect(checkChoice('Keep every answer', alike.slice(0, 2)).ok).toBe(false);
});

test.each(['B\n', 'B A table must come first.\n', 'B\n\n> \n'])(
  'an answer that repeats %j to its limit is read',
  (line) => {
    const answer = line.repeat(Math.ceil(80_000 / line.length));
    expect(checkChoice(answer, OPTIONS)).toMatchObject({ value: 1 });
    expect(checkChoice(`${answer}C`, OPTIONS).ok).toBe(false);
  },
);

test.each(['A cat\n', '\n', '((\n', 'Be\n'])(
  'an answer that begins with a long run of %j is read',
  (line) => {
    expect(readChoice(`${line.repeat(Math.ceil(80_000 / line.length))}C`, OPTIONS)).toBe(2);
  },
);

test('a fence that ends in a long run of empty lines is no choice of its own', () => {
  expect(readChoice(`\`\`\`json\n{"choice": "B",${'\n'.repeat(80_000)}C`, OPTIONS)).toBeUndefined();
});

test('an option may have several lines, signs and no words', () => {
  expect(checkChoice('B. First a table,\nthen text.', ['Brief.', 'First a table, then text.'])).toMatchObject(
    {
      value: 1,
    },
  );
  expect(checkChoice('A. First (a) a table', ['First (a) a table', 'Brief.'])).toMatchObject({ value: 0 });
  expect(checkChoice('A', ['…', '?!'])).toMatchObject({ value: 0 });
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
