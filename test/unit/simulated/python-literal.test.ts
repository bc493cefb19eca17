import { pythonRepr } from '../../../prompts/python-repr';
import { readPythonLiteral } from '../../../simulated/python-literal';

test.each([
  "it's",
  'she said "no"',
  `both ' and "`,
  'back\\slash',
  'line\nbreak\ttab',
  'caffè ☕ 東京 😀',
  '\u0000\u00a0\u200b\ud83d',
  '{brace: [bracket], (paren)}',
  '',
])('reads back what repr writes of %j', (text) => {
  const read = readPythonLiteral(pythonRepr({ id: 7, seed: text, traits: [text, 'x'] }));
  expect(read).toEqual(
    new Map<string, unknown>([
      ['id', '7'],
      ['seed', text],
      ['traits', [text, 'x']],
    ]),
  );
});

test('says what it cannot read', () => {
  expect(() => readPythonLiteral('')).toThrow('Not a Python literal');
  expect(() => readPythonLiteral(']')).toThrow('Not a Python literal');
});
