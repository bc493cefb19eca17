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

describe('a bracket after a choice', () => {
  test.each([
    'B (correct)',
    'B (the best one)',
    'B (my choice)',
    'B (most likely)',
    'B (most recent preference)',
    'B (still valid)',
    'B (95% confident)',
    'B (table first)',
    'B (“a table”)',
    'B (session 7)',
    'B (because it is newer)',
    'B (as she asked for it in session 7)',
    'B (reason: it is newer)',
    'B (correct), because it is newer',
    'B (correct): A table must come first.',
    'B (correct)\n\nB',
    'The answer is B (best).',
    'B（best）',
  ])('leaves it if it approves of the option, or has its words: %j', (text) => {
    expect(checkChoice(text, OPTIONS)).toEqual({ ok: true, value: 1 });
  });

  test.each([
    'A (superseded)',
    'A (earlier sessions only; now replaced)',
    'A (this was the preference before the change)',
    'The answer is A (or possibly the second)',
    'A (brief until session 5)',
    'A (was brief)',
    'A (brief before)',
    'A (her old wish)',
    'A (second best)',
    'A (correct?)',
    'A (correct ❌)',
    'A (best',
    'A (10%)',
    'A (a table)',
    'B (be brief)',
    'B (kind)',
    'A (best), replaced in session 5',
    'A (best)\n\nShe changed it in session 5.',
    'A (since replaced)',
    'A, since superseded',
    'A, since then changed',
    'Answers must be brief (superseded)',
    'A (best)\nB',
    'A (I think)\nB',
  ])('makes it ambiguous if it may reject the option: %j', (text) => {
    expect(checkChoice(text, OPTIONS).ok).toBe(false);
  });

  test('may have words that praise, and words of an answer, unless they are of another option', () => {
    const options = ['Name the best recent source', 'Cite three sources'];
    for (const praise of ['best', 'recommended', 'it is what the user wants'])
      expect(checkChoice(`B (${praise})`, options)).toMatchObject({ value: 1 });
    expect(checkChoice('A (recent)', options)).toMatchObject({ value: 0 });
    expect(checkChoice('B (recent)', options).ok).toBe(false);
    expect(checkChoice('A (no longer)', ['No longer than a page', 'Long']).ok).toBe(false);
  });
});

describe('an object in JSON is read by the field of its choice', () => {
  test.each(['choice', 'answer', 'letter', 'option', 'selection', 'final_answer', 'selectedOption'])(
    '%s',
    (name) => {
      expect(checkChoice(JSON.stringify({ [name]: 'B' }), OPTIONS)).toEqual({ ok: true, value: 1 });
    },
  );

  test.each([
    { confidence: 0.9 },
    { confidence: 'high' },
    { confidence_score: '0.9' },
    { score: 9, session: 7 },
    { certainty: 'medium' },
    { reason: 'A is stale.' },
    { reasoning: 'Option A was her wish before.' },
    { explanation: 'Not A, because it changed.' },
    { rationale: { rejected: ['A', 'C'] } },
    { alternative: null, note: '' },
  ])('beside %j', (fields) => {
    for (const answer of [
      { choice: 'B', ...fields },
      { ...fields, choice: 'B' },
    ]) {
      expect(checkChoice(JSON.stringify(answer), OPTIONS)).toEqual({ ok: true, value: 1 });
      expect(checkChoice(`\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``, OPTIONS).ok).toBe(true);
    }
  });

  test.each([
    { choice: 'A', alternatives: ['B'] },
    { choice: 'A', uncertainty: 'B' },
    { choice: 'A', outdated: true },
    { choice: 'A (superseded)', confidence: 0.9 },
    { choice: 1, confidence: 0.9 },
    { choice: null, reason: 'B' },
    { reason: 'B' },
    { A: 0.1, B: 0.9 },
  ])('but not %j', (answer) => {
    expect(checkChoice(JSON.stringify(answer), OPTIONS).ok).toBe(false);
  });
});

test.each([
  'B\n\nConfidence: high',
  'B\nConfidence: 0.9',
  'B, confidence: 90%',
  'B. Confidence level: 4/5.',
  '**B**\n\n**Confidence:** Very high',
  '### Choice\n\nB\n\n### Confidence\n\nHigh',
  'B\n\nConfidence: high\n\nReason: it is newer.',
  'B. A table must come first.\n\nConfidence: 9 out of 10',
])('a confidence leaves its choice: %j', (text) => {
  expect(checkChoice(text, OPTIONS)).toEqual({ ok: true, value: 1 });
});

test.each([
  'A\n\nConfidence: high that it is stale',
  'A\n\nConfidence: low. B may be right.',
  'A\n\nConfidence: low, she changed it',
  'Confidence: high',
])('a confidence is no choice, and not all that follows it leaves one: %j', (text) => {
  expect(checkChoice(text, OPTIONS).ok).toBe(false);
});

test.each([
  'It is B.',
  "It's B",
  'It’s B.',
  "So it's B.",
  "That's option B.",
  'It must be B',
  'It is clearly B.',
  'It is the letter B.',
  'I think B',
  'I believe B.',
  "I'd say B.",
  'I would say (B)',
  'I think it is B',
  "I think that it's B.",
  'I think B is correct.',
  'I think I would choose B.',
  'The answer would be B.',
  'C’est B.',
  'Es ist B.',
  '选B',
  '选 B。',
  '選B',
  '选择B',
  '我选择B',
  '我選擇B',
  '我选B，因为更新',
  '我会选B',
  '应选B',
  '故选：B',
  '因此选择B',
  '我认为是B',
  '我认为答案是B',
  '是B',
  '🅱',
  '🅱️',
  '🅱️ A table must come first.',
  '🅑',
  '🄱',
  '{"choice":"🅱️"}',
])('a choice in a sentence, or as a symbol, is read: %j', (text) => {
  expect(checkChoice(text, OPTIONS)).toEqual({ ok: true, value: 1 });
});

test('the symbols of both alphabets are letters', () => {
  expect(['🅰', '🅰️', '🅐', '🅳', '🅓'].map((text) => readChoice(text, OPTIONS))).toEqual([0, 0, 0, 3, 3]);
  expect(['🆎', '🅰🅱', '🅴'].map((text) => readChoice(text, OPTIONS))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a sentence about something else precedes a choice', () => {
  expect(checkChoice('It is a clear pattern.\n\nB', OPTIONS)).toMatchObject({ value: 1 });
  expect(checkChoice('I think a short reply suits her.\n\nB', OPTIONS)).toMatchObject({ value: 1 });
});

test.each([
  'It is not A.',
  "It isn't A",
  'It is A or B.',
  'It is A no more',
  'It is a clear pattern.',
  'It was A.',
  'I think A or B',
  'I think A is outdated',
  'I think not A',
  'I think a short reply suits her.',
  "I don't think it is A.",
  'I thought A',
  '不选A',
  '我不选A',
  '选A还是B',
  '选A不对',
  '选A、B',
])('a sentence that rejects, doubts or doubles its choice is none: %j', (text) => {
  expect(checkChoice(text, OPTIONS).ok).toBe(false);
});

test('a text that lacks its last word is read only if one option begins so', () => {
  const alike = ['Keep every answer short', 'Keep every answer long', 'Keep every answer'];
  expect(checkChoice('Keep every answer long', alike)).toMatchObject({ value: 1 });
  expect(checkChoice('Keep every answer', alike)).toMatchObject({ value: 2 });
  expect(checkChoice('Keep every answer', alike.slice(0, 2)).ok).toBe(false);
});

test.each(['B\n', 'B A table must come first.\n', 'B\n\n> \n', 'B (best)\n', 'B\nConfidence: 9\n'])(
  'an answer that repeats %j to its limit is read',
  (line) => {
    const answer = line.repeat(Math.ceil(80_000 / line.length));
    expect(checkChoice(answer, OPTIONS)).toMatchObject({ value: 1 });
    expect(checkChoice(`${answer}C`, OPTIONS).ok).toBe(false);
  },
);

test.each(['A cat\n', '\n', '((\n', 'Be\n', 'It is a cat (\n', 'I think\n', '选\n'])(
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
