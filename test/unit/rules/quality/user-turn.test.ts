import { USER_SECTIONS } from '../../../../rules/dialogue/messages';
import { listSelectedItems } from '../../../../rules/dialogue/ending';
import { checkUserTurn } from '../../../../rules/answers/synthesis/dialogue';
import { getReason } from '../examples';

const PREFERENCE = 'Answers must name a source for every figure and avoid jargon.';
const CHECKLIST = ['Does the answer name a source for every figure?', 'Does the answer avoid jargon?'];
const DISSATISFIED = ['1. No source at all. Dissatisfied', '2. Plain words. Satisfied'].join('\n');
const SATISFIED = ['1. Each figure has one. Satisfied', '2. Plain words. Satisfied'].join('\n');

/** Variations of a turn that continues with item 1. */
interface Written {
  readonly evaluation?: string;
  readonly score?: number;
  readonly decision?: string;
  readonly selected?: string;
  readonly message?: string;
}

const OPENING = 'Please write a report on the harvest.';

/** A turn that ends the dialogue. */
const END: Written = { evaluation: SATISFIED, score: 10, decision: 'END', selected: '2 (Satisfied)' };

function check(written: Written, selected: readonly string[] = ['1 (Dissatisfied)'], checklist = CHECKLIST) {
  const contents = [
    written.evaluation ?? DISSATISFIED,
    String(written.score ?? 6),
    written.decision ?? 'CONTINUE',
    written.selected ?? '1 (Dissatisfied), 2 (Satisfied)',
    'I will hint at it.',
    written.message ?? 'Where do these numbers come from?',
  ];
  const text = USER_SECTIONS.map((title, index) => `#### ${title}\n\n${contents[index]}`).join('\n\n');
  return checkUserTurn(text, { opening: OPENING, preference: PREFERENCE, checklist, selected });
}

test.each<[string, Written]>([
  ['goes on', {}],
  ['ends', END],
  ['raises nothing that is satisfied', { selected: 'Item 1' }],
  [
    'begins with a word of assistants',
    { message: 'Certainly better, and sure, here the sources are missing.' },
  ],
  ['has brackets', { message: 'What does [sic] stand for in [1]?' }],
  ['has no letters with cases', { message: '数字の出典は何ですか。' }],
  ['has bold numbers', { evaluation: '**1.** Nothing. **Dissatisfied**\n\n**2.** Yes. **Satisfied**' }],
  ['names the verdict first', { evaluation: '1. **Dissatisfied** – nothing.\n2. **Satisfied** – yes.' }],
  ['counts a half as nothing', { evaluation: 'Item 1: partially satisfied\nItem 2: satisfied' }],
  [
    'names checklist items',
    { evaluation: '**Checklist item 1:** None. Dissatisfied\n**Checklist item #2:** Yes. Satisfied' },
  ],
  ['says "not satisfied"', { evaluation: '- 1) Not satisfied\n- 2) Satisfied' }],
  [
    'explains under a number',
    { evaluation: '1. Sources\n   - none of 3 figures\n   Dissatisfied\n2. Satisfied' },
  ],
  [
    'begins a line with a number',
    { evaluation: '1. Sources.\n2 figures have none. Dissatisfied\n2. Satisfied', selected: '1' },
  ],
  [
    'has items, scores and headings of its own',
    {
      message: [
        'I am not satisfied with item 3 of my list, which has a score of 4.',
        'Item 3 should score 2 points. Is item 5 still dissatisfying?',
        '# Notes',
        '### Notes from the meeting',
        '```yaml\n### Score\nAssistant: me\n```',
        'My assistant: she is new.',
      ].join('\n'),
    },
  ],
  ['uses five words of the preference', { message: 'Could it name a source for the second one?' }],
])('a turn that %s is usable', (_, written) => {
  expect(check(written)).toMatchObject({ ok: true });
});

test('with one item there is nothing to number', () => {
  const written = { evaluation: 'No source at all. Dissatisfied', selected: '1' };
  expect(check(written, [], CHECKLIST.slice(0, 1))).toMatchObject({ ok: true });
});

test('a turn that ends before several items were selected names them all', () => {
  const written = { ...END, selected: 'None' };
  expect(getReason(check(written, []))).toContain('items 1, 2 were never selected');
  expect(getReason(check(written))).toContain('item 2 was never selected');
});

// `defects.ts` has the others.
test.each<[string, Written, RegExp]>([
  ['lacks a verdict', { evaluation: '1. No source. Dissatisfied\n2. Fine.' }, /it lacks item 2\.$/],
  ['lacks every verdict', { evaluation: 'Fine.' }, /it lacks items 1, 2\.$/],
  ['goes on at 10', { ...END, decision: 'CONTINUE' }, /^the score is 10 but the decision is CONTINUE/],
  [
    'selects what only its evaluation has',
    { evaluation: `${DISSATISFIED}\n3. Kind words. Satisfied`, selected: '1, 3' },
    /names item 3, but the checklist has none\.$/,
  ],
  ['repeats the opening', { message: `Hm. ${OPENING.toLowerCase()}` }, /repeats the opening request/],
  ['has no words', { message: '###STOP###' }, /has no words/],
  [
    'hands over a draft',
    { message: 'Certainly! Here is the revised draft:\n\nDear all' },
    /speaks as the assistant/,
  ],
  ['offers more', { message: 'Let me know if you’d like changes.' }, /speaks as the assistant/],
  ...[
    '#### Notes\nI selected item 1 and hinted at the fallback indirectly.',
    '### **Score:**\n\nSix.',
    '(Item 1: Dissatisfied, raised indirectly.)',
    '---\n\n*(Item 1 raised indirectly; score 6.)*',
    'Item 1 is Dissatisfied, score 6: what about Pisa?',
  ].map((report): [string, Written, RegExp] => [
    `reports ${JSON.stringify(report)}`,
    { message: `What about Pisa?\n\n${report}` },
    /reports notes or verdicts/,
  ]),
  [
    'continues as the assistant',
    { message: 'What about Pisa?\n\n---\n\n**Assistant:** Sure! Take the 15:12 instead.' },
    /speaks as the assistant/,
  ],
  [
    'has a placeholder',
    { message: 'Could you add [your source] to it?' },
    /placeholder that is not filled in/,
  ],
])('a turn that %s is asked for again', (_, written, reason) => {
  expect(getReason(check(written))).toMatch(reason);
});

test.each<[string, number[]]>([
  ['None', []],
  ['N/A', []],
  ['1 (Dissatisfied), 2 (Satisfied)', [1, 2]],
  ['- Item 2: Satisfied\n- Item 4 (dissatisfied)', [2, 4]],
  ['Items 1, 3 and 4', [1, 3, 4]],
  ['2. Does the plan have at least 3 steps, or 5? (Dissatisfied)', [2]],
  ['1: Dissatisfied, as nothing is said of it; 3: Satisfied', [1, 3]],
  ['1 (fallback: Satisfied), 2 (prices: Satisfied) and 3 [tone]', [1, 2, 3]],
  ['Checklist items 1, 2', [1, 2]],
  ['[1, 2]', [1, 2]],
  ['1 and 2 (and 3)', [1, 2, 3]],
  ['1 (3 sentences were too long: Dissatisfied)', [1]],
  ['None (item 2 was Satisfied before)', []],
  ['N/A: 1 Satisfied', []],
])('of %j the selected items are %j', (section, items) => {
  expect(listSelectedItems(section)).toEqual(items);
});

test('a long section of selected items takes linear time', () => {
  expect(listSelectedItems(`1${' '.repeat(200_000)}(${'x'.repeat(200_000)}`)).toEqual([1]);
});
