import {
  formatRepairRequest,
  reject,
  isWellFormed,
  isOmitted,
} from '../../../../../rules/answers/form/checks';
import { quoteAnswer } from '../../../../../rules/texts/quote-answer';
import { stripFinalStop } from '../../../../../rules/texts/spelling';
import { extractFenced, parseFencedJson, parseFencedYaml } from '../../../../../rules/answers/form/fence';
import { getReason, getValue } from '../../examples';

test.each([
  ['Sure.\n```json\n{"a":1}\n```\nDone.', '{"a":1}'],
  ['```yaml\na: |\n  ```python\n  x\n  ```\n```', 'a: |\n  ```python\n  x\n  ```'],
  ['```yml\na: b\n```', 'a: b'],
  ['```JSON\n{}\n```', '{}'],
  ['```json\n1\n```\nand\n```json\n2\n```', '2'],
  ['Sure:\n  ```json\n  1\n  ```\nand\n  ```json\n  2\n  ```', '2'],
  ['```json\n"```yaml"\n```\nI used ```json.', '"```yaml"'],
  ['```json {"a":1} ```', '{"a":1}'],
  ['```markdown\n```json\n1\n```\n```', '1'],
  ['```json\r\n1\r\n```', '1'],
  ['```json\n"```json\\nx\\n```"\n```\nDone.', '"```json\\nx\\n```"'],
  ['  no fence at all ', 'no fence at all'],
  // Fences with another label or none.
  ['Sure.\n\n```\n{"a":1}\n```\nDone.', '{"a":1}'],
  ['``` json\n1\n```', '1'],
  ['```jsonc\n1\n```', '1'],
  ['``` JSON5\n1\n```', '1'],
  ['````json\n1\n````', '1'],
  ['````\n```\n1\n```\n````', '```\n1\n```'],
  ['~~~yaml\na: b\n~~~', 'a: b'],
  ['~~~\n1\n~~~', '1'],
  ['```\n1\n```\nand\n```\n2\n```', '2'],
  ['```python\nx\n```\n```\n1\n```\n```bash\ny\n```', '1'],
  ['```json\n1\n```\nRun it:\n```\nx\n```', '1'],
  ['json\n{"a":1}', '{"a":1}'],
  ['YAML\r\na: b', 'a: b'],
  ['a: |\n  ```\n  x\n  ```', 'a: |\n  ```\n  x\n  ```'],
])('the content of %j is what stands in the last block', (answer, content) => {
  expect(getValue(extractFenced(answer))).toBe(content);
});

test.each([
  ['', /answer is empty/],
  [' \n', /answer is empty/],
  ['```json\n```', /answer is empty/],
  ['```json\n{"a":1}', /block that ```json opens is not closed/],
  ['```json\n{"a":1}\n```\nBetter:\n```json\n{"a":', /block that ```json opens is not closed/],
  ['half \ud83d', /lone surrogate/],
  ['```json\n{"a": "\\ud83d"}\n```', /escape.*lone surrogate/],
  ['```json\n{"\\ud83d": "a"}\n```', /escape.*lone surrogate/],
  ['```json\n{"a": 1,}\n```', /JSON cannot be parsed.*trailing commas/],
  ['```\n{"a":1}', /block that ``` opens is not closed/],
  ['```javascript\n1\n```', /contains no JSON \(put the JSON in one ```json block\)/],
  ['```javascript\n{}\n```', /JSON cannot be parsed \(put the JSON in one ```json block\)/],
  ['Here it is: {"a": 1}', /JSON cannot be parsed \(put the JSON in one ```json block\)/],
  ['{"a": 1,}', /JSON cannot be parsed.*```json block.*trailing commas/],
  [`${'['.repeat(3000)}${']'.repeat(3000)}`, /nested more deeply/],
])('JSON answer %j is refused with a reason', (answer, reason) => {
  expect(getReason(parseFencedJson(answer))).toMatch(reason);
});

test.each([
  [
    parseFencedJson(
      '{"a": "<think>Hm.</think>She", "b": ["x<|im_end|>", "a\\u0000b"], "c": "hm\\n</think>\\nShe"}',
    ),
  ],
  [parseFencedYaml('a: <think>Hm.</think>She\nb: ["x<|im_end|>", "a\\0b"]\nc: |\n  hm\n  </think>\n  She')],
])('what models leave around a text is cut off from each', (checked) => {
  expect(getValue(checked)).toEqual({ a: 'She', b: ['x', 'ab'], c: 'She' });
});

test('comments that cut no text short are read over, and # within a text stays', () => {
  const yaml =
    '# A list.\na: # of three\n  - "b #1" # first\n  - >- # second\n    c #2\n  # third\n  - d#3\n# The end.';
  expect(getValue(parseFencedYaml(yaml))).toEqual({ a: ['b #1', 'c #2', 'd#3'] });
});

test('a string keeps the turns of a dialogue', () => {
  const resource = 'Session 12, 3 May\n\nUser:\nWhere is my order?\n\nAssistant:\nIt is on its way.';
  expect(getValue(parseFencedJson(JSON.stringify({ resource })))).toEqual({ resource });
  const yaml = `resource: |-\n  ${resource.replaceAll('\n', '\n  ')}`;
  expect(getValue(parseFencedYaml(yaml))).toEqual({ resource });
});

test.each(['\n', '\r\n', '\r', '\u2028', '\u2029'])('%j ends a line of a block', (end) => {
  const join = (...lines: readonly string[]) => lines.join(end);
  expect(getValue(parseFencedJson(join('Here:', '```json', '{', '"a": "b"}', '```')))).toEqual({ a: 'b' });
  const yaml = join('Here:', '```yaml', 'a: b', 'c:', '- d', '- e', '```', 'Done.');
  expect(getValue(parseFencedYaml(yaml))).toEqual({ a: 'b', c: ['d', 'e'] });
});

test('a line separator in a string stays', () => {
  expect(getValue(parseFencedJson('{"a": "b\u2028c"}'))).toEqual({ a: 'b\u2028c' });
  expect(getValue(parseFencedYaml('a: "b\u2028c"\nd: e'))).toEqual({ a: 'b\u2028c', d: 'e' });
});

test('YAML scalars stay the strings that were written', () => {
  const answer =
    '```yaml\na: yes\nb: 12:30\nc: 2024-01-01\nd: 0x1F\ne: null\nf: ~\ng:\nh: 1.50\n"i": \'no\'\n```';
  expect(getValue(parseFencedYaml(answer))).toEqual({
    a: 'yes',
    b: '12:30',
    c: '2024-01-01',
    d: '0x1F',
    e: 'null',
    f: '~',
    g: '',
    h: '1.50',
    i: 'no',
  });
});

test.each([
  ['```yaml\nstory: Ann: the baker\n```', /at the line "story: Ann: the baker".*block scalars/],
  ['story: "it', /YAML cannot be parsed.*put the YAML in one ```yaml block/],
  ['a: two, such as #baking and #bread, at the end', /comment.*"a: two, such as #baking.*quotation marks/],
  ['a: b\nc: #baking\nd: e', /comment.*"c: #baking"/],
  ['- a: b\n  c:\n    - one\n    - Room #12\n    - Room #14', /"- Room #12".*; .*"- Room #14"/],
  ['a: one\n  two #three\n  four', /comment.*"two #three"/],
  ['a: 1\na: 2', /keys must be unique/],
  ['- 1\n---\n- 2', /multiple documents,/],
  ['a: **bold**', /begins with \*/],
  ['a: **bold** words', /at the line "a: \*\*bold\*\* words".*asterisks/],
  ['a: &x [*x, *x, *x, *x, *x, *x, *x, *x, *x, *x]', /begins with \* or &/],
  ['a: "\\ud83d"', /lone surrogate/],
  ['a: half \udc00', /lone surrogate/],
])('YAML answer %j is refused with a reason', (answer, reason) => {
  expect(getReason(parseFencedYaml(answer))).toMatch(reason);
});

test('a reason lists at most five problems and counts the others', () => {
  expect(reject(['a']).reason).toBe('a.');
  expect(reject(['a', 'b', 'c', 'd', 'e']).reason).toBe('a; b; c; d; e.');
  expect(reject(['a', 'b', 'c', 'd', 'e', 'f']).reason).toBe('a; b; c; d; e; and 1 more problem like these.');
  expect(reject(['a', 'b', 'c', 'd', 'e', 'f', 'g']).reason).toMatch(/and 2 more problems/);
});

test('a repair gives the model the reason and asks for the whole answer again', () => {
  expect(formatRepairRequest('session 5: story is missing.')).toMatch(
    /session 5: story is missing\.\n\n.*once more.*whole/,
  );
});

test('a quotation is one line, not endless, and never half of a character', () => {
  expect(quoteAnswer(' two\n lines ')).toBe('"two lines"');
  for (const lead of ['', 'a']) {
    const shown = quoteAnswer(`${lead}${'😀'.repeat(300)}`);
    expect(shown.length).toBeLessThan(210);
    expect(isWellFormed(shown)).toBe(true);
  }
});

test('spelling ignores spaces around a text and its final full stop, and nothing else', () => {
  expect(stripFinalStop(' Be brief. ')).toBe('Be brief');
  expect(stripFinalStop('Be brief .')).toBe('Be brief');
  expect(stripFinalStop('Be. Brief')).toBe('Be. Brief');
  expect(stripFinalStop('be brief')).not.toBe(stripFinalStop('Be brief'));
});

test('fields left out in words say nothing', () => {
  for (const text of ['', ' ', 'null', 'Null', '~', 'N/A', 'n/a.', 'None', 'none.'])
    expect(isOmitted(text)).toBe(true);
  for (const text of ['0', 'no', 'nonet', 'null and void', '.5']) expect(isOmitted(text)).toBe(false);
});
