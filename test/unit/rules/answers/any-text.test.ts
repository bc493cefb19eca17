import * as fc from 'fast-check';
import { checkChoice } from '../../../../rules/answers/evaluation/choice';
import { checkErrorType } from '../../../../rules/answers/evaluation/error-type';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { checkJudgement } from '../../../../rules/answers/evaluation/judgement';
import { checkMatch } from '../../../../rules/answers/evaluation/match';
import {
  parseReferenceChecklist,
  parseReferenceInference,
  parseReferenceMatch,
  parseReferenceScore,
} from '../../../../rules/answers/evaluation/reference';
import { checkText } from '../../../../rules/answers/form/checks';
import { checkSummary } from '../../../../rules/answers/evaluation/summary';
import { checkContradictions } from '../../../../rules/answers/verification/contradiction';
import { checkExpressions } from '../../../../rules/answers/verification/expressions';
import { checkGuess } from '../../../../rules/answers/verification/guess';
import { matchLabelSchema } from '../../../../schemas/matching/match-label';
import { isWellFormed } from '../../../../rules/answers/form/checks';
import { renderFencedJson } from '../examples';

const RIGHT = [
  '### Analysis\n\nWell.\n\n### Most Likely Preference\n\nBe brief.',
  '1. Good.\n\n### **Evaluation Score**\n\n8/10',
  renderFencedJson({ results: [{ index: 1, entry: 'Is it brief?', label: 'Fully Covered' }] }),
  '[{"index":1,"entry":"Is it brief?","label":"Fully Covered"}]',
  renderFencedJson({
    summaries: [{ session_id: 1, analysis: '', context: ['Work'], preferences: ['Brief'] }],
  }),
  renderFencedJson({ explanation: 'Too broad.', type: 'Vagueness' }),
  renderFencedJson({ checklist: ['Is it brief?'] }),
  renderFencedJson({
    results: [{ index: 1, explanation: 'It is.', quotations: ['a b c'], rating: 'Fully' }],
  }),
  renderFencedJson({ explanation: 'It says so.', expectation: 'Be brief.' }),
  renderFencedJson({ explanation: 'Short and long.', verdict: 'Contradictory' }),
];

/** Any text, any JSON with the keys of the forms, and correct answers with a piece replaced. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('#', '*', '`', '\n', ' ', ':', '/', '8', 'json', 'Evaluation Score', '{', '"'),
  }),
  fc
    .dictionary(fc.constantFrom('results', 'summaries', 'type', 'checklist', '__proto__'), fc.jsonValue())
    .map(renderFencedJson),
  fc
    .array(fc.dictionary(fc.constantFrom('index', 'entry', 'label', 'session_id', 'context'), fc.jsonValue()))
    .map(renderFencedJson),
  fc
    .tuple(fc.constantFrom(...RIGHT), fc.nat(300), fc.nat(40), fc.string({ unit: 'binary', maxLength: 5 }))
    .map(([text, at, length, other]) => text.slice(0, at) + other + text.slice(at + length)),
);

test('no text makes a check throw, and what is refused has a reason that can be sent', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (text, checklist) => {
      const checks = [
        checkChoice(text, checklist),
        checkInference(text),
        checkJudgement(text),
        checkMatch(text, checklist),
        checkSummary(text, checklist.length),
        checkErrorType(text),
        checkExpressions(text, [checklist]),
        checkGuess(text),
        checkContradictions(text, checklist.length),
        checkText(text),
        parseReferenceChecklist(text),
      ];
      for (const checked of checks) {
        if (checked.ok) continue;
        expect(checked.reason).not.toBe('');
        expect(isWellFormed(checked.reason)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test('an accepted answer holds as many labels and summaries as were asked for, and a score from 1 to 10', () => {
  const checklist = ['Is it brief?'];
  const accepted = { labels: 0, scores: 0, summaries: 0 };
  fc.assert(
    fc.property(anyText, (text) => {
      const labels = checkMatch(text, checklist);
      const judgement = checkJudgement(text);
      const summaries = checkSummary(text, 1);
      if (labels.ok) expect(labels.value).toEqual([expect.stringMatching(/^(Fully|Partially|Not) Covered$/)]);
      if (judgement.ok) expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).toContain(judgement.value.score);
      if (summaries.ok) expect(summaries.value).toHaveLength(1);
      accepted.labels += Number(labels.ok);
      accepted.scores += Number(judgement.ok);
      accepted.summaries += Number(summaries.ok);
    }),
    { numRuns: 1000, seed: 42 },
  );
  // Otherwise the test would check nothing.
  expect(accepted.labels).toBeGreaterThan(5);
  expect(accepted.scores).toBeGreaterThan(5);
  expect(accepted.summaries).toBeGreaterThan(5);
});

test("the reference's own reading gives well-formed texts, known labels and whole numbers for any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { score, analysis } = parseReferenceScore(text);
      expect(Number.isSafeInteger(score)).toBe(true);
      expect(isWellFormed(analysis + parseReferenceInference(text))).toBe(true);
      for (const label of parseReferenceMatch(text))
        expect(matchLabelSchema.safeParse(label).success).toBe(true);
    }),
    { numRuns: 500 },
  );
});
