import { checkUserTurn } from '../../../../../rules/answers/synthesis/dialogue';
import { USER_SECTIONS, buildUserSimulatorOpening } from '../../../../../rules/dialogue/messages';
import { getReason, getValue } from '../../examples';

const CONTENTS = ['1. Satisfied.\n2. Not.', '8', 'CONTINUE', '- Item 2', 'I will hint.', 'Shorter, please.'];

/** Writes the six sections with some contents replaced, by the index of their heading. */
function answer(contents: Record<number, string> = {}): string {
  return USER_SECTIONS.map((title, index) => `#### ${title}\n\n${contents[index] ?? CONTENTS[index]}`).join(
    '\n\n',
  );
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
  ['END', 'END'],
  ['**END**', 'END'],
  ['end', 'END'],
  ['`END`.', 'END'],
  ['Decision: END', 'END'],
  ['END\n\n---', 'END'],
  ['"Continue"', 'CONTINUE'],
  ['**Continue**', 'CONTINUE'],
  ['<CONTINUE>', 'CONTINUE'],
  ['[END]', 'END'],
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

const DRAFT = answer({ 1: '6', 5: '[Your message]' });

test.each([
  answer().replaceAll(/^#### (.*)$/gm, '**$1:**'),
  answer().replace('End?\n\n', 'End? ').replace('Score\n\n', 'Score (1-10)\n\n'),
  answer().replaceAll(/^#### ((?!Selected).*)\n+/gm, '**$1** '),
  answer().replaceAll(/^#### (.*)$/gm, '### ✅ (1) $1：'),
  answer().replaceAll(/^#### (.*)$/gm, '$1\n---'),
  answer().replaceAll(/^#### (.*)$/gm, '<h3>$1</h3>'),
  answer().replaceAll(/^/gm, '> '),
  answer().replaceAll('\n', '\u2028').replace('Satisfied.\u2028', 'Satisfied.\n'),
  answer({ 1: '**8**/10' }).replace('End?\n\nCONT', 'End?: CONT'),
  `Thinking Process:\n\n${DRAFT}\n\nNow:\n\n${answer()}`,
  `\`\`\`markdown\n${answer()}\n\`\`\``,
  answer({ 5: '<think>\nHm.\n#### Your Message\nNo.\n</think>\n\nShorter, please.' }),
])('sections are read in the words of models: %j', (text) => {
  expect(getValue(checkUserTurn(text))).toEqual(TURN);
});

test('other headings belong to the section they stand in', () => {
  const message = '#### Notes\n\nShorter.\n\n#### Thinking about it\n\nYes.';
  expect(getValue(checkUserTurn(answer({ 5: message }))).message).toBe(message);
});

test.each(USER_SECTIONS)('an answer without %s is refused', (title) => {
  const sections = answer()
    .split('#### ')
    .filter((part) => !part.startsWith(title));
  expect(getReason(checkUserTurn(sections.join('#### ')))).toBe(
    `the answer lacks the section "#### ${title}".`,
  );
});

test.each([
  ['', /answer is empty/],
  ['I like it. 8/10.', /lacks the section .* and .*/],
  [answer({ 5: '' }), /"#### Your Message" must hold the message/],
  [answer({ 1: '8 or 9' }), /^the section "#### Evaluation Score" must hold one whole number/],
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
