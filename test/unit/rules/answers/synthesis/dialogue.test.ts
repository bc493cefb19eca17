import { checkUserTurn } from '../../../../../rules/answers/synthesis/dialogue';
import { USER_SECTIONS, buildUserSimulatorOpening } from '../../../../../rules/dialogue/messages';
import { getReason, getValue } from '../../examples';

const CONTENTS = ['1. Satisfied.\n2. Not.', '8', 'CONTINUE', '- Item 2', 'I will hint.', 'Shorter, please.'];

/** Writes the six sections with some contents replaced, by the index of their heading. */
function answer(contents: Record<number, string> = {}, heading = (title: string) => `#### ${title}`): string {
  return USER_SECTIONS.map(
    (title, index) => `${heading(title)}\n\n${contents[index] ?? CONTENTS[index]}`,
  ).join('\n\n');
}

const TURN = {
  evaluation: '1. Satisfied.\n2. Not.',
  score: 8,
  decision: 'CONTINUE',
  selected: '- Item 2',
  message: 'Shorter, please.',
  disagrees: false,
};

test('the six sections give score, decision, selected items and message', () => {
  expect(checkUserTurn(`Let me see.\n\n${answer()}\n`)).toEqual({ ok: true, value: TURN });
  expect(getValue(checkUserTurn(answer({ 1: '10', 2: 'END' })))).toEqual({
    ...TURN,
    score: 10,
    decision: 'END',
  });
  for (let score = 1; score < 10; score += 1) {
    expect(getValue(checkUserTurn(answer({ 1: String(score) }))).score).toBe(score);
  }
});

test.each([
  ['8/10', 8],
  ['8 / 10', 8],
  ['**8**', 8],
  ['**8**/10', 8],
  ['**Score:** 8', 8],
  ['Score: 8/10.', 8],
  ['8 out of 10', 8],
  ['(8)', 8],
  ['8.', 8],
  ['8\n\nGood in most ways.', 8],
  ['8\n\n---', 8],
  ['8/10 (8)', 8],
  ['8\n\n8', 8],
  ['８', 8],
  ['８／１０', 8],
  ['\\boxed{8}', 8],
  ['$\\boxed{8}$', 8],
  ['```\n8\n```', 8],
  ['<think>\nMaybe 7?\n#### Evaluation Score\n7\n</think>\n8', 8],
  ['7/10', 7],
  ['1', 1],
])('a score written %j is %i', (written, score) => {
  expect(getValue(checkUserTurn(answer({ 1: written }))).score).toBe(score);
});

test.each([
  '',
  'N/A',
  'eight',
  '8.5',
  '8,5',
  '8.5/10',
  '8.0',
  '85',
  '0',
  '11',
  '100',
  '-8',
  '08',
  '8-9',
  '7–8',
  '8 or 9',
  '8/10, up from 6/10',
  '8/10, with 2 of 3 satisfied',
  '8/100',
  '4/5',
  '8/9',
  '1e1',
  '8th',
  '½',
  '80%',
  '10/10/2024',
])('no score is made out of %j', (written) => {
  expect(getReason(checkUserTurn(answer({ 1: written })))).toMatch(
    /^the section "#### Evaluation Score" must hold one whole number from 1 to 10/,
  );
});

test.each(['10/10', '**10**', '10 out of 10', 'Score: 10'])('a perfect score written %j is 10', (written) => {
  expect(getValue(checkUserTurn(answer({ 1: written, 2: 'END' })))).toMatchObject({
    score: 10,
    disagrees: false,
  });
});

test.each([
  ['END', 'END'],
  ['**END**', 'END'],
  ['end', 'END'],
  ['`END`.', 'END'],
  ['Decision: END', 'END'],
  ['END\n\n---', 'END'],
  ['"Continue"', 'CONTINUE'],
  ['**Continue**', 'CONTINUE'],
])('a decision written %j is %s', (written, decision) => {
  expect(getValue(checkUserTurn(answer({ 1: '10', 2: written }))).decision).toBe(decision);
});

test.each(['', 'N/A', 'CONTINUE | END', 'CONTINUE or END', 'ENDING', 'STOP', 'not END', 'yes'])(
  'no decision is made out of %j',
  (written) => {
    expect(getReason(checkUserTurn(answer({ 2: written })))).toMatch(
      /^the section "#### Continue or End\?" must be either CONTINUE or END/,
    );
  },
);

test('a score of 10 that continues, and a lower one that ends, are usable but in doubt', () => {
  const goesOn = checkUserTurn(answer({ 1: '10' }));
  expect(goesOn).toMatchObject({ ok: true, value: { score: 10, decision: 'CONTINUE', disagrees: true } });
  expect(goesOn).toHaveProperty(
    'doubt',
    expect.stringContaining('the score is 10 but the decision is CONTINUE'),
  );
  const ends = checkUserTurn(answer({ 2: 'END' }));
  expect(ends).toMatchObject({ ok: true, value: { score: 8, decision: 'END', disagrees: true } });
  expect(ends).toHaveProperty('doubt', expect.stringContaining('the score is 8 but the decision is END'));
  expect(checkUserTurn(answer())).not.toHaveProperty('doubt');
});

test.each<[string, (title: string) => string]>([
  ['other case', (title) => `#### ${title.toUpperCase()}`],
  ['a colon', (title) => `#### ${title}:`],
  ['bold type', (title) => `#### **${title}**`],
  ['bold type and a colon', (title) => `#### **${title}:**`],
  ['a curly apostrophe', (title) => `#### ${title.replace("'", '’')}`],
  ['another level', (title) => `### ${title}`],
  ['a number', (title) => `#### 1. ${title}`],
  ['no question mark', (title) => `#### ${title.replace('?', '')}`],
  ['no blank', (title) => `####${title}`],
  ['a carriage return', (title) => `#### ${title}\r`],
  ['bold type alone', (title) => `**${title}**`],
  ['bold type alone and a colon', (title) => `**${title}:**`],
  ['invisible characters', (title) => `\u200B#### \u200B${title}\u200B`],
])('headings with %s are still headings', (_, heading) => {
  expect(getValue(checkUserTurn(answer({}, heading)))).toEqual(TURN);
});

test('a section may begin on the line of its heading', () => {
  const text = answer()
    .replace('Evaluation Score\n\n8', 'Evaluation Score: 8/10')
    .replace('End?\n\nCONT', 'End?: CONT');
  expect(getValue(checkUserTurn(text))).toEqual(TURN);
});

test('other headings belong to the section they stand in', () => {
  const message = '#### Notes\n\nShorter.\n\n#### Thinking about it\n\nYes.';
  expect(getValue(checkUserTurn(answer({ 5: message }))).message).toBe(message);
});

test('of a heading that is repeated, the last section that is complete counts', () => {
  const draft = answer({ 1: '6', 5: '[Your message]' });
  expect(getValue(checkUserTurn(`Thinking Process:\n\n${draft}\n\nNow:\n\n${answer()}`))).toEqual(TURN);
  expect(getValue(checkUserTurn(`${answer()}\n\n#### Evaluation Score\n\n7`)).score).toBe(7);
  expect(getValue(checkUserTurn(`${answer()}\n\n#### Your Message\n\n<the message>`)).message).toBe(
    TURN.message,
  );
});

test('reasoning at the beginning of a section is no part of it', () => {
  const message = '<think>\nHm.\n#### Your Message\nNo.\n</think>\n\nShorter, please.';
  expect(getValue(checkUserTurn(answer({ 5: message })))).toEqual(TURN);
  const example = 'Shorter, please. What does <think>Hm.</think> mean?';
  expect(getValue(checkUserTurn(answer({ 5: example }))).message).toBe(example);
});

test('a fence around the whole answer is no part of the message', () => {
  expect(getValue(checkUserTurn(`Here you are:\n\`\`\`markdown\n${answer()}\n\`\`\``))).toEqual(TURN);
  expect(getValue(checkUserTurn(`\`\`\`markdown\n${answer()}\n\`\`\``))).toEqual(TURN);
});

test.each(USER_SECTIONS.map((title, index) => [title, index] as const))(
  'an answer without %s is refused',
  (title, index) => {
    const sections = answer()
      .split('#### ')
      .filter((part) => !part.startsWith(title));
    expect(sections).toHaveLength(USER_SECTIONS.length);
    expect(index).toBeLessThan(6);
    expect(getReason(checkUserTurn(sections.join('#### ')))).toBe(
      `the answer lacks the section "#### ${title}".`,
    );
  },
);

test.each([
  ['', /answer is empty/],
  ['I like it. 8/10.', /lacks the section .* and .*/],
  [answer({ 5: '' }), /"#### Your Message" must hold the message/],
  [answer({ 5: 'N/A' }), /"#### Your Message" must hold the message/],
  [answer({ 5: '<the message to the assistant>' }), /"#### Your Message" must hold the message/],
  [answer({ 5: '<think>Shorter, please.' }), /"#### Your Message" must hold the message/],
  [answer({ 5: '\u200B' }), /"#### Your Message" must hold the message/],
  [answer({ 5: 'half \ud83d' }), /lone surrogate/],
  [answer({ 1: 'good', 2: 'maybe', 5: '' }), /Evaluation Score.*Continue or End.*Your Message/],
  [buildUserSimulatorOpening('Help me.'), /Evaluation Score/],
])('%j is refused with a reason', (text, reason) => {
  expect(getReason(checkUserTurn(text))).toMatch(reason);
});
