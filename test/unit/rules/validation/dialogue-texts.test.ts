import { DialogueTexts } from '../../../../rules/validation/dialogue-texts';

const PLACE = { row: 1, persona_id: 'p', instance_type: 'changing' };
const OPENING = 'Write a plan for the week.';

/** Returns the findings of one dialogue, given its messages from the user's opening on. */
function findIn(...contents: (string | null)[]) {
  const texts = new DialogueTexts();
  const messages = [OPENING, ...contents].map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  texts.add({ dialogue: messages }, [{ field: 'dialogue', messages }], PLACE);
  return texts.end();
}

test.each<[string[], number, RegExp]>([
  [['A.', `Well: ${OPENING}`], 2, /repeats the opening request/],
  [['A.', 'Certainly! Here is the revised draft: …'], 2, /speaks as the assistant/],
  [['A.', '###STOP###'], 2, /has no words/],
  [['A.', 'Could you add [your name]?'], 2, /placeholder/],
  [['A.', 'Shorter.', 'B.', 'shorter!'], 4, /repeats an earlier one/],
  [['A.', 'Shorter.', 'A.', 'Better.'], 3, /repeats an earlier one/],
  [['好。', '短一些。', '行。', '再短一些。', '是。', '短一些!'], 6, /repeats an earlier one/],
])('of %j, message %i is for people to look at', (contents, index, problem) => {
  expect(findIn(...contents)).toEqual([
    {
      ...PLACE,
      rule: 'dialogue-quality',
      field: `dialogue[${index}].content`,
      message: expect.stringMatching(problem),
    },
  ]);
});

test.each([
  ['<think>Hm.</think>A.', /contains reasoning of a model/],
  ['Hm.\n</think>\n\nA.', /contains reasoning of a model/],
  ['A.<|im_end|>', /contains special tokens of a model/],
  ['A.\n<|im_start|>user\nB.', /contains the line "<\|im_start\|>user", which begins another turn/],
  ['A.\n\n### User:\nB.', /contains the line "### User:", which begins another turn/],
  ['A.\n\nHuman:\nB.', /contains the line "Human:", which begins another turn/],
  // A text that stays as it may draft a dialogue.
  [
    'A script.\n\n**User:**\nB.',
    /contains the line "\*\*User:\*\*", which begins another turn\. Unless the text drafts/,
  ],
])('%j in any text of a row is found', (content, message) => {
  expect(findIn(content, 'Shorter.')).toEqual([
    {
      ...PLACE,
      rule: 'reasoning-in-text',
      field: 'dialogue[1].content',
      message: expect.stringMatching(message),
    },
  ]);
});

test('nothing is found in sound messages, or in one without a text', () => {
  expect(findIn('R1 writes `<think>` first.', 'What is `</think>` for?', 'It ends it.', 'I see.')).toEqual(
    [],
  );
  expect(findIn(null, 'Shorter.')).toEqual([]);
  expect(findIn('ChatML has `<|im_start|>user`.', 'So:\n```\nUser:\nHi\n```', 'User: a word.')).toEqual([]);
});

test.each([
  [10, 50, false],
  [11, 50, true],
  [49, 49, false],
])('%i of %i dialogues that end at the first answer: %j', (early, all, isFound) => {
  const texts = new DialogueTexts();
  for (let at = 0; at < all; at += 1) {
    const [user, assistant] = [
      { role: 'user', content: `Plan ${at}` },
      { role: 'assistant', content: `A${at}` },
    ];
    const more =
      at < early
        ? []
        : [
            { role: 'user', content: `But ${at}` },
            { role: 'assistant', content: `Change ${at}` },
          ];
    const dialogue = { field: 'd', messages: [user, assistant, ...more] };
    // A dialogue in several rows counts once.
    for (const row of [1, 2]) texts.add({}, [dialogue], { ...PLACE, row });
  }
  const found = texts.end();
  expect(found).toHaveLength(isFound ? 1 : 0);
  if (isFound) expect(found[0]?.message).toContain('11 of 50 dialogues (22 %) end at the first answer');
});
