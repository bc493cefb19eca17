import { findLastSection, listSections, parseScore } from '../../../../../rules/answers/form/sections';
import { getReason, getValue } from '../../examples';

const TITLE = "The User's End?";
const BARE_TITLE = "The User's End";

/** Reads the section of the only title in a text. */
const read = (text: string) => findLastSection(listSections(text, [TITLE], { allowsWords: true }));

test.each([
  `#### ${TITLE}`,
  '# the USER’s end',
  `###### ${TITLE}:`,
  `#### **${TITLE}**`,
  `#### **${TITLE}:**`,
  `#### 2. ${TITLE}`,
  `####${TITLE}`,
  `#### ${TITLE}\r`,
  `**${TITLE}**`,
  `**${TITLE}:**`,
  `### ✅ ${TITLE}`,
  `### ${TITLE} ✅`,
  `### 🗣️ ${TITLE}:`,
  `### ${TITLE}：`,
  `### ${TITLE} :`,
  `### ${TITLE} -`,
  `### ${TITLE} ###`,
  `### ${TITLE}: ###`,
  `### **${TITLE}** ##`,
  `### (1) ${TITLE}`,
  `### [1] ${TITLE}`,
  `### 1: ${TITLE}`,
  `### 1 - ${TITLE}`,
  `### 1、${TITLE}`,
  `### １．${TITLE}`,
  `### ① ${TITLE}`,
  `### 1️⃣ ${TITLE}`,
  `### #1: ${TITLE}`,
  `### IV. ${TITLE}`,
  `### Step 1: ${TITLE}`,
  `### Section 2 – ${TITLE}`,
  `### **Part 3:** ${TITLE}`,
  `### "${TITLE}"`,
  `### [${TITLE}]`,
  `### 【${TITLE}】`,
  `### \`${TITLE}\``,
  `### <b>${TITLE}</b>`,
  `- **${TITLE}**`,
  `- **${TITLE}**:`,
  `* **${TITLE}:**`,
  `1. **${TITLE}**`,
  `<b>${TITLE}</b>`,
  `<strong>${TITLE}:</strong>`,
  `> ### ${TITLE}`,
  `>> ### ${TITLE}`,
  `> **${TITLE}**`,
  `<h3>${TITLE}</h3>`,
  `<H2 class="x">2. ${TITLE}:</H2>`,
  `<h4><b>${TITLE}</b></h4>`,
  `${TITLE}\n---`,
  `${TITLE}\n==========`,
  `**${TITLE}:**\n-----`,
  `> ${TITLE}\n> ---`,
  `\u200B#### \u200B${TITLE}\u200B`,
])('%j is a heading', (heading) => {
  expect(read(`Before.\n\n${heading}\n\n8`)).toEqual({ title: TITLE, before: 'Before.', content: '8' });
});

test.each([
  `#### ${TITLE}: 8`,
  `#### **${TITLE}:** 8`,
  `**${TITLE}:** 8`,
  `**${TITLE}: 8**`,
  `- **${TITLE}**: 8`,
  `### ✅ ${TITLE}：8`,
  `<h3>${TITLE}: 8</h3>`,
  `> ### ${TITLE}\n> 8`,
  `#### ${TITLE} 8`,
  `**${TITLE}** 8`,
  `- **${BARE_TITLE}** 8`,
  `### **${BARE_TITLE}** – 8`,
  `### ${BARE_TITLE} (1-10)\n8`,
  `### ${BARE_TITLE} (out of 10): 8`,
  `**${BARE_TITLE}** (1-10)\n8`,
  `**${BARE_TITLE}** (max. 30 words)\n8`,
  `#### ${TITLE} (CONTINUE / END)\n8`,
])('a section may begin on the line of its heading: %j', (text) => {
  expect(read(text)?.content).toBe('8');
});

test.each([
  'The end.',
  `Write **${TITLE}** here.`,
  `    #### ${TITLE}\n8`,
  `#### ${BARE_TITLE} or not\n8`,
  `#### ${BARE_TITLE} (rationale)\n8`,
  `#### ${BARE_TITLE} (to the assistant)\n8`,
  `**${BARE_TITLE}** (30 words)\n8`,
  `**${BARE_TITLE}** Justification: 8`,
  `#### ${BARE_TITLE} (1-10) - Reasoning\n8`,
  `### 8 things about ${TITLE}\n8`,
  `### Beyond ${TITLE}\n8`,
  `<h3>${TITLE} or not</h3>\n8`,
  `<p>${TITLE}</p>\n8`,
  `${TITLE}\n\n---\n8`,
  `Not ${TITLE}\n---\n8`,
  `- ${TITLE}\n8`,
  `> ${TITLE}\n8`,
  `${TITLE}: 8`,
])('%j has no such section', (text) => {
  expect(read(text)).toBeUndefined();
});

test.each([`**${BARE_TITLE}** 9`, `#### ${BARE_TITLE} (1-10)\n9`])(
  '%j is no heading where there is a plain one',
  (text) => {
    expect(read(`${text}\n#### ${TITLE}\n8\n\n${text}`)?.content.startsWith('8')).toBe(true);
    expect(read(`${text}\n**${TITLE}**\n8`)?.content).toBe('8');
  },
);

test('words after a title without a colon begin no section unless they may', () => {
  expect(listSections(`**${BARE_TITLE}** 8`, [TITLE])).toEqual([]);
});

test('bold words are no heading where there is one', () => {
  expect(read(`#### ${TITLE}\n8\n\n**${TITLE}**\n9`)?.content).toBe(`8\n\n**${TITLE}**\n9`);
});

test.each([
  '8\n\n---',
  '```\n8\n```',
  '```text\n8\n```',
  '8<|im_end|>',
  '<think>7?</think>8',
  `<think>\nMaybe 7?\n#### ${TITLE}\n7\n</think>\n8`,
])('what models leave around the content %j is cut off', (content) => {
  expect(read(`#### ${TITLE}\n\n${content}`)?.content).toBe('8');
});

test('a fence around the whole answer is no part of it', () => {
  for (const before of ['', 'Here you are:\n'])
    expect(read(`${before}\`\`\`markdown\n#### ${TITLE}\n8\n\`\`\``)?.content).toBe('8');
});

test('reasoning within a section stays', () => {
  expect(read(`#### ${TITLE}\nWhat does <think>Hm.</think> mean?`)?.content).toMatch(/<think>/);
});

test('another heading ends a section, unless it may hold headings of its own', () => {
  const text = `#### ${TITLE}\n8\n\n#### Notes\n9`;
  expect(read(text)?.content).toBe('8');
  expect(listSections(text, [TITLE], { keepsOthers: true })[0]?.content).toBe('8\n\n#### Notes\n9');
});

test.each(['### Notes', '> ### Notes', '<h3>Notes</h3>', '<h2 id="n">Notes'])(
  'the heading %j of another title ends a section',
  (heading) => {
    expect(read(`#### ${TITLE}\n8\n\n${heading}\n9`)?.content).toBe('8');
  },
);

test.each(['\r\n', '\r', '\u2028', '\u2029'])('%j ends a line', (end) => {
  const text = ['```markdown', 'Before.', `#### ${TITLE}`, '', '8', '', '---', '```'].join(end);
  expect(read(text)).toEqual({ title: TITLE, before: 'Before.', content: '8' });
  expect(read(`${TITLE}${end}---${end}8`)?.content).toBe('8');
});

test('the line ends within a section stay as they are, except CRLF', () => {
  expect(read(`#### ${TITLE}\r\na\rb\u2028c\nd\r\ne`)?.content).toBe('a\rb\u2028c\nd\ne');
});

test.each(['', '<the score>', '[Your score]'])(
  'of repeated headings, the last with content counts, not %j',
  (content) => {
    expect(read(`#### ${TITLE}\n7\n#### ${TITLE}\n8\n#### ${TITLE}\n${content}`)?.content).toBe('8');
  },
);

test.each([
  ['8', 8],
  ['1', 1],
  ['10', 10],
  ['8/10', 8],
  ['8 / 10', 8],
  ['10 out of 10', 10],
  ['**8**', 8],
  ['**8**/10', 8],
  ['Score: 8/10.', 8],
  ['**Score:** 8', 8],
  ['(8)', 8],
  ['8.', 8],
  ['8\n\nGood in most ways.', 8],
  ['8/10 (8)', 8],
  ['8\n\n8', 8],
  ['８', 8],
  ['８／１０', 8],
  ['\\boxed{8}', 8],
  ['$\\boxed{8}$', 8],
  ['8.0', 8],
  ['10.00', 10],
  ['8.0/10', 8],
  ['8/10.0', 8],
  ['8分', 8],
  ['8/10分', 8],
  ['8点。', 8],
  ['8점', 8],
  ['8pts', 8],
  ['8 points', 8],
  ['8 von 10', 8],
  ['8 sur 10', 8],
  ['<score>8</score>', 8],
  ['<final score>\n8\n</final score>', 8],
  ['{"score": 8}', 8],
  ['> 8', 8],
  ['- 8', 8],
  ['8️⃣', 8],
  ['8\u20E3', 8],
  ['🔟', 10],
  ['⑧', 8],
  ['【8】', 8],
  ['评分：8', 8],
  ['٨', 8],
  ['۸/۱۰', 8],
  ['८', 8],
  ['১০', 10],
  ['๘', 8],
  ['<8>', 8],
  ['8 out of ten', 8],
  ['8 because the tone is off', 8],
  ['The score should be 8.', 8],
])('a score written %j is %i', (written, score) => {
  expect(getValue(parseScore(written, '### Score'))).toBe(score);
});

test.each([
  '',
  'N/A',
  'eight',
  '8.5',
  '8,5',
  '8.5/10',
  '8.05',
  '8.000',
  '10,000',
  '8.0 or 9.0',
  '8️⃣ or 9️⃣',
  '8分钟',
  '8点30',
  '满分10分，得8分',
  '<8',
  '8+',
  '8?',
  '~8',
  'between 7 and 8',
  'not 8',
  'below 8',
  'at least 8',
  'about 8',
  'more than 8',
  '8 or higher',
  '8 or so',
  '<score>7</score><score>8</score>',
  'VIII',
  '85',
  '0',
  '11',
  '100',
  '-8',
  '08',
  '7-8',
  '7–8',
  '7 to 8',
  '8 or 9',
  '8/10, up from 6/10',
  '8/10, with 2 of 3 satisfied',
  '8\n\n7 of 8 steps have a duration.',
  '8/100',
  '8/5',
  '4/5',
  '1e1',
  '8th',
  '½',
  '80%',
  '10/10/2024',
  'N/A: the response is empty, so item 1 cannot be judged.',
  'None. The response is empty (see 1).',
  'Only item 2 is met.',
  '3 of 3 items are met.',
  '5 out of 5',
  '4 out of five',
  '2 items are met.',
  '4 stars',
  'It cannot be a 10.',
  'It would have been a 10.',
  'less than a 5',
  '8 and a half',
  '8 or nine',
  'between seven and 8',
])('no score is made out of %j', (written) => {
  expect(getReason(parseScore(written, '### Score'))).toMatch(
    /^the section "### Score" must hold one whole number from 1 to 10 and nothing else, but it reads "/,
  );
});

test.each(['\n', ' \n'])('a long run of %j in a section takes linear time', (blank) => {
  const content = `\`\`\`\nA${blank.repeat(200_000 / blank.length)}B`;
  expect(read(`### ${TITLE}\n${content}`)?.content).toBe(content);
});
