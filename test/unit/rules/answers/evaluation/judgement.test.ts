import * as fc from 'fast-check';
import { checkJudgement } from '../../../../../rules/answers/evaluation/judgement';
import { parseReferenceScore } from '../../../../../rules/answers/evaluation/reference';
import { getReason, getValue } from '../../examples';

const ANALYSIS = `### Evaluation of AI Assistant's Response

1. **Checklist item 1:** The response gives a duration for 7 of its 8 steps, such as "knead (12 min)"; "cool down" has none. Dissatisfied.
2. **Checklist item 2:** All times are in minutes. Satisfied.

### Evaluation Label

Partially satisfied`;

/** Writes a judgment as GPT-4o does, with this score. */
const judged = (score: string) => `${ANALYSIS}\n\n### Evaluation Score\n\n${score}`;

test('the score and all that stands before its section are read', () => {
  for (let score = 1; score <= 10; score += 1) {
    expect(checkJudgement(judged(String(score)))).toEqual({ ok: true, value: { score, analysis: ANALYSIS } });
  }
  for (const text of [
    `\n${judged('7')}\n`.replaceAll('\n', '\r\n'),
    `\`\`\`markdown\n${judged('7')}\n\`\`\``,
  ])
    expect(getValue(checkJudgement(text))).toEqual({ score: 7, analysis: ANALYSIS });
  expect(getValue(checkJudgement('### Evaluation Score\n7'))).toEqual({ score: 7, analysis: '' });
});

test.each([
  '### Evaluation Score\n\n8/10',
  '**Evaluation Score:** 8',
  '### 3. Evaluation Score: 8\n\n### Remarks\n\n7',
])('a score is read in the words of models: %j', (score) => {
  expect(getValue(checkJudgement(`${ANALYSIS}\n\n${score}`))).toEqual({ score: 8, analysis: ANALYSIS });
});

test.each([
  ['', /answer is empty/],
  [ANALYSIS, /lacks the section "### Evaluation Score"/],
  ['I would give it an 8/10.', /lacks the section/],
  ['Evaluation Score: 8', /lacks the section/],
  [judged('<think>8'), /must hold one whole number/],
  [judged('8 or 9'), /^the section "### Evaluation Score" must hold one whole number .* it reads "8 or 9"/],
  [`${judged('8')} \ud83d`, /lone surrogate/],
])('%j is refused with a reason', (text, reason) => {
  expect(getReason(checkJudgement(text))).toMatch(reason);
});

test('of two scores, the last counts, and what stands before it is the analysis', () => {
  const text = `${judged('7')}\n\nHold on.\n\n### Evaluation Score\n\n8`;
  expect(getValue(checkJudgement(text))).toEqual({ score: 8, analysis: `${judged('7')}\n\nHold on.` });
  expect(getValue(checkJudgement(`${judged('7')}\n\n### Evaluation Score\n`)).score).toBe(7);
});

test('what is rendered is read back, and as the reference reads it', () => {
  const analyses = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[#*_]/g, '').trim());
  fc.assert(
    fc.property(analyses, fc.integer({ min: 1, max: 10 }), (analysis, score) => {
      const text = `${analysis}\n\n### Evaluation Score\n\n${score}`;
      expect(getValue(checkJudgement(text))).toEqual({ score, analysis: analysis.replaceAll('\r\n', '\n') });
      expect(parseReferenceScore(text)).toEqual({ score, analysis });
    }),
  );
});

test('a number that is not whole and from 1 to 10 is never a score', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double({ noNaN: true }), fc.integer()), (number) => {
      const checked = checkJudgement(judged(String(number)));
      expect(checked.ok).toBe(Number.isInteger(number) && number >= 1 && number <= 10);
    }),
  );
});
