import * as fc from 'fast-check';
import { checkInference } from '../../../../../rules/answers/evaluation/inference';
import { parseReferenceInference } from '../../../../../rules/answers/evaluation/reference';
import { countWords } from '../../../../../rules/texts/words';
import { getReason, getValue } from '../../examples';

const PREFERENCE = 'Plans must state a duration in minutes for each step, and leave slack between any two.';

/** An answer of a model under test in the required form. */
const ANSWER = `### Analysis

The current request is about the Tuesday shift at the bakery. Sessions 2 and 5 share that setting:

- In **session 2** the user asked "and how long would I stand there?" until every step had minutes.
- In session 5 they noted that two steps "run into each other".

### Most Likely Preference

${PREFERENCE}`;

test('an answer in the form asked for gives its sentence, as the reference reads it', () => {
  for (const text of [ANSWER, `\n${ANSWER}\n\n`, ANSWER.replaceAll('\n', '\r\n')]) {
    expect(getValue(checkInference(text))).toBe(PREFERENCE);
    expect(parseReferenceInference(text)).toBe(PREFERENCE);
  }
});

test.each([
  '###### most likely preference\n',
  '### Most Likely Preferences\n',
  '### Most Likely Preferneces\n',
  '**Most Likely Preference:** ',
  '### Most Likely Preference\n\n---\n',
  '### Most Likely Preference\n```text\n',
  '### Most Likely Preference\n<think>\n### Analysis\nShe?\n</think>\n',
])('the sentence after %j is found', (heading) => {
  expect(getValue(checkInference(`### Analysis\n\nHm.\n\n${heading}${PREFERENCE}`))).toBe(PREFERENCE);
});

test.each([
  `- ${PREFERENCE}`,
  `"${PREFERENCE}"`,
  `**${PREFERENCE}**`,
  '#1 is brevity.',
  'N/A',
  'None',
  'x'.repeat(5000),
  'word '.repeat(100).trim(),
  'Réponses en français – toujours 😀',
])('a line %j stays as it is written', (line) => {
  const text = ANSWER.replace(PREFERENCE, line);
  expect(getValue(checkInference(text))).toBe(line);
  expect(parseReferenceInference(text)).toBe(line);
});

test('only the first line under the last heading that has one counts', () => {
  const draft = `### Most Likely Preference\n\nOther.\n\n${ANSWER}  \nAnd be kind.`;
  for (const text of [draft, `${draft}\n\n### Most Likely Preference\n\n[The single sentence]`])
    expect(getValue(checkInference(text))).toBe(PREFERENCE);
});

const LACKS = /lacks the section "### Most Likely Preference"/;
const PART = /the first line .* must hold the whole preference as a single sentence, but it reads "/;
const NOTHING = /nothing stands under the heading "### Most Likely Preference"/;

test.each([
  ['', /answer is empty/],
  [PREFERENCE, LACKS],
  [ANSWER.replace('Most Likely', 'Likely'), LACKS],
  [ANSWER.replace('### Most Likely Preference', '### Most Likely Preference Analysis'), LACKS],
  [ANSWER.replace('### Most Likely Preference\n', 'The **most likely preference** is this:'), LACKS],
  [ANSWER.replace(PREFERENCE, ''), NOTHING],
  [ANSWER.replace(PREFERENCE, '---\n\n…'), NOTHING],
  [ANSWER.replace(PREFERENCE, '[The single sentence]'), NOTHING],
  [ANSWER.replace(PREFERENCE, '<the preference, in one sentence of at most 30 words, on one line>'), NOTHING],
  [ANSWER.replace(PREFERENCE, `<think>${PREFERENCE}`), NOTHING],
  [ANSWER.replace(PREFERENCE, `<think>${PREFERENCE}</think>`), NOTHING],
  [ANSWER.replace(PREFERENCE, `### Note\n\n${PREFERENCE}`), NOTHING],
  [ANSWER.replace(PREFERENCE, `Here is the preference:\n\n${PREFERENCE}`), PART],
  [ANSWER.replace(PREFERENCE, `**Preference:**\n${PREFERENCE}`), PART],
  [ANSWER.replace(PREFERENCE, `**Preference**\n${PREFERENCE}`), PART],
  [ANSWER.replace(PREFERENCE, `*(30 words)*\n${PREFERENCE}`), PART],
  [ANSWER.replace(PREFERENCE, PREFERENCE.replace(', and', ',\nand')), PART],
  [ANSWER.replace(PREFERENCE, PREFERENCE.replace('minutes for', 'minutes\nfor')), PART],
  [ANSWER.replace(PREFERENCE, 'half \ud83d'), /lone surrogate/],
])('%j is refused with a reason', (text, reason) => {
  expect(getReason(checkInference(text))).toMatch(reason);
});

const line = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll(/[\r\n]/g, ' '));

test('whatever stands in the exact form is read as the reference reads it', () => {
  const analysis = fc
    .array(line.filter((text) => !/most likely prefer/i.test(text)))
    .map((lines) => lines.join('\n'));
  const sentence = line
    .map((text) => `Answers must ${text}`)
    .filter((text) => !/[:,：，、*_`]\s*$/.test(text));
  fc.assert(
    fc.property(analysis, sentence, (before, text) => {
      const answer = `### Analysis\n\n${before}\n\n### Most Likely Preference\n\n${text}`;
      expect(getValue(checkInference(answer))).toBe(text.trim());
      expect(parseReferenceInference(answer)).toBe(text.trim());
    }),
  );
});

test('words are what stands between spaces', () => {
  expect(countWords(PREFERENCE)).toBe(16);
  expect(countWords('')).toBe(0);
  expect(countWords(' \n')).toBe(0);
  expect(countWords(' one\ttwo\n– three ')).toBe(4);
  expect(countWords('state-of-the-art')).toBe(1);
});
