import * as fc from 'fast-check';
import {
  parseReferenceChecklist,
  parseReferenceInference,
  parseReferenceMatch,
  parseReferenceScore,
} from '../../../../../rules/answers/evaluation/reference';
import { MATCH_LABELS } from '../../../../../schemas/matching/match-label';
import { renderFencedJson, getReason, getValue } from '../../examples';

test.each([
  ['### Analysis\n\nWell.\n\n### Most Likely Preference\n\n Be brief. \nAlways.', 'Be brief.'],
  ['### Most Likely Preference\nBe brief.\n### Most Likely Preference\nBe long.', 'Be brief.'],
  ['### Most Likely Preference\n\n- **Be brief.**', '- **Be brief.**'],
  ['#### Most Likely Preference\n\nBe brief.', 'Be brief.'],
  ['### Most Likely Preference: Be brief.', ': Be brief.'],
  ['### Most Likely Preference\n\n---\n\nBe brief.', '---'],
  ['### **Most Likely Preference**\n\nBe brief.', ''],
  ['### most likely preference\n\nBe brief.', ''],
  ['### Most Likely Preference', ''],
  ['Be brief.', ''],
  ['', ''],
])('the reference infers from %j the preference %j', (text, preference) => {
  expect(parseReferenceInference(text)).toBe(preference);
});

test.each<[string, string[]]>([
  [renderFencedJson({ checklist: ['a', 'b'] }), ['a', 'b']],
  [renderFencedJson({ checklist: ['1', '2', '3', '4', '5', '5', ''] }), ['1', '2', '3', '4', '5', '5', '']],
  [renderFencedJson({ checklist: [] }), []],
  ['{"checklist":["a"]}', ['a']],
  ['```yaml\n{"checklist":["a"]}\n```', ['a']],
])('the reference takes the checklist in %j as it is', (text, checklist) => {
  expect(getValue(parseReferenceChecklist(text))).toEqual(checklist);
});

test.each([
  '',
  'a, b',
  renderFencedJson(['a']),
  renderFencedJson({ list: ['a'] }),
  renderFencedJson({ checklist: [{ question: 'a' }] }),
  '```json\n{"checklist":["a",]}\n```',
  '```json\n{"checklist":["a"]}',
  '```\n{"checklist":["a"]}\n```',
])('the reference stops at the checklist in %j', (text) => {
  expect(getReason(parseReferenceChecklist(text))).toMatch(/no list of texts under the key "checklist"/);
});

const FULLY = { label: 'Fully Covered' };

test.each<[unknown, string[]]>([
  [{ results: [FULLY, { label: 'Partially Covered' }, { label: 'Not Covered' }] }, [...MATCH_LABELS]],
  [[FULLY], ['Fully Covered']],
  [{ results: [FULLY, FULLY, FULLY, FULLY, FULLY] }, Array.from({ length: 5 }, () => 'Fully Covered')],
  [
    {
      results: [
        { index: 2, ...FULLY },
        { index: 1, label: 'Not Covered' },
      ],
    },
    ['Fully Covered', 'Not Covered'],
  ],
  [
    {
      results: [
        { label: 'fully covered' },
        { label: '**Fully Covered**' },
        { label: 1 },
        {},
        'Fully Covered',
        FULLY,
      ],
    },
    ['Not Covered', 'Not Covered', 'Not Covered', 'Not Covered', 'Not Covered', 'Fully Covered'],
  ],
  [{ results: [] }, []],
  [{ labels: [FULLY] }, []],
])('the reference takes whatever labels there are in %j', (answer, labels) => {
  expect(parseReferenceMatch(renderFencedJson(answer))).toEqual(labels);
});

test.each([
  '',
  'Fully Covered',
  '```json\n[{"label":"Fully Covered"},]\n```',
  '```json\n[{"label":"Fully Covered"}]',
])('the reference matches nothing in %j', (text) => {
  expect(parseReferenceMatch(text)).toEqual([]);
});

test.each([
  ['8', 8],
  ['10', 10],
  ['8/10', 8],
  ['8 / 10', 8],
  ['8.5', 8],
  ['8.5/10', 8],
  ['**8**', 8],
  ['**8**/10', 8],
  ['8\n\nMost of it is met.', 8],
  ['8.\nMost of it is met.', 8],
  ['85', 85],
  ['0', 0],
  ['-3', -3],
  ['8 out of 10', 0],
  ['8\nMost of it is met.', 0],
  ['Score: 8', 0],
  ['8-9', 0],
  ['', 0],
  ['9'.repeat(400), 0],
])('the reference reads the score %j as %i', (written, score) => {
  for (const heading of ['### Evaluation Score', '### **Evaluation Score**', '#### Evaluation Score']) {
    expect(parseReferenceScore(`1. Good.\n\n${heading}\n\n${written}\n`).score).toBe(score);
  }
});

test('the reference takes the bold heading first, and needs one of the two', () => {
  const both = '### Evaluation Score\n\n3\n\n### **Evaluation Score**\n\n8';
  expect(parseReferenceScore(both)).toEqual({ score: 8, analysis: '### Evaluation Score\n\n3' });
  expect(parseReferenceScore(' Good.\n\n### Evaluation Score\n7')).toEqual({ score: 7, analysis: 'Good.' });
  for (const text of ['Good: 8', '### evaluation score\n\n8', '**Evaluation Score**\n\n8']) {
    expect(parseReferenceScore(text)).toEqual({ score: 0, analysis: text });
  }
  expect(parseReferenceScore('')).toEqual({ score: 0, analysis: '' });
});

test('halves of characters, which no data set can hold, are replaced', () => {
  expect(parseReferenceInference('### Most Likely Preference\n\na \ud83d b 😀')).toBe('a \u{FFFD} b 😀');
  expect(getValue(parseReferenceChecklist('{"checklist":["a \\ud83d"]}'))).toEqual(['a \u{FFFD}']);
  expect(parseReferenceScore('\udc00 ### Evaluation Score\n7')).toEqual({ score: 7, analysis: '\u{FFFD}' });
});

test('a whole number under the exact heading is the score, whatever its size', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      expect(parseReferenceScore(`### Evaluation Score\n\n${number}/10`).score).toBe(number);
    }),
  );
});
