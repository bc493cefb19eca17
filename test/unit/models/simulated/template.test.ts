import { formatPythonRepr } from '../../../../data/prompts/python-repr';
import { readTemplate } from '../../../../models/simulated/answers/describe';

test.each([
  "it's",
  'she said "no"',
  `both ' and "`,
  'back\\slash',
  'line\nbreak\ttab',
  'caffè ☕ 東京 😀',
  '\u00a0\u200b',
  '{brace: [bracket], (paren)}',
  '',
])('reads the template that Python would write of %j', (text) => {
  const fields = {
    id: 7,
    seed: text,
    career_level: 'x',
    personality_traits: [text, 'x'],
    personal_values: [],
    decision_making_styles: 'x',
  };
  expect(readTemplate(`3. ${formatPythonRepr(fields)}`)).toMatchObject({
    seed: text,
    personality_traits: [text, 'x'],
  });
});

test('takes any other line as a seed sentence', () => {
  expect(readTemplate('- A nurse who sings.').seed).toBe('A nurse who sings.');
});
