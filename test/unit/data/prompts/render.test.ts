import type { PromptPack } from '../../../../schemas/run/prompts';
import {
  listPlaceholders,
  parseTemplate,
  renderPrompt,
  renderTemplate,
} from '../../../../data/prompts/render';

describe('renderTemplate', () => {
  test('puts every value in its place and turns doubled braces into single ones', () => {
    expect(renderTemplate('{a}-{b_2} {{"list": [{a}]}} {{{a}}}', { a: 'X', b_2: 'Y' })).toBe(
      'X-Y {"list": [X]} {X}',
    );
  });

  test('leaves values untouched, whatever they hold', () => {
    const value = '{b} {{x}} $& $1 }';
    expect(renderTemplate('<{a}>', { a: value, b: 'never' })).toBe(`<${value}>`);
  });

  test('keeps spaces and line breaks at both ends', () => {
    expect(renderTemplate('\n  {a} \n', { a: ' x ' })).toBe('\n   x  \n');
  });

  test('names every placeholder that has no value, and what was given', () => {
    expect(() => renderTemplate('{a} {toString} {c}', { a: 'x' })).toThrow(
      /no value for the placeholder \{toString\}; no value for the placeholder \{c\}.*Values given: \{a\}\./u,
    );
  });

  test.each([
    ['positional fields', 'x\n{}', /line 2: \{\} has no name/u],
    ['numbered fields', '{0}', /\{0\} has no name/u],
    ['format specifications', '{a:>5}', /\{a:>5\} has a conversion, a format or an attribute/u],
    ['conversions', '{a!r}', /\{a!r\} has a conversion/u],
    ['attributes', '{a.b}', /\{a\.b\} has a conversion/u],
    ['items', '{a[0]}', /\{a\[0\]\} has a conversion/u],
    ['names with blanks', '{ a }', /\{ a \} is not a placeholder/u],
    ['a brace left open', 'x {a', /line 1: a single "\{" is unpaired/u],
    ['a brace closed alone', '{a}}', /a single "\}" is unpaired; for a literal brace write "\}\}"/u],
  ])('refuses %s and shows the place', (_what, template, complaint) => {
    expect(() => renderTemplate(template, { a: 'x' })).toThrow(complaint);
  });
});

describe('reading a template', () => {
  test('names each placeholder once, in order of appearance, and no doubled braces', () => {
    const { parts, problems } = parseTemplate('{b} {a} {{c}} {b}');
    expect(problems).toEqual([]);
    expect(listPlaceholders(parts)).toEqual(['b', 'a']);
  });

  test('says what is malformed in it', () => {
    expect(parseTemplate('{b} {').problems.join('; ')).toMatch(/is unpaired/u);
  });
});

describe('renderPrompt', () => {
  const pack: PromptPack = {
    source: 'here',
    hash: 'none',
    prompts: {
      'synthesis/preference_decomposer': { system_prompt: ' be brief\n', user_prompt: 'P: {preferences}\n' },
      'synthesis/assistant_simulator': { system_prompt: 'help' },
    },
  };

  test('renders both texts and strips neither', () => {
    expect(renderPrompt(pack, 'synthesis/preference_decomposer', { preferences: 'short' })).toEqual({
      system: ' be brief\n',
      user: 'P: short\n',
    });
  });

  test('gives no user text for a prompt that has none', () => {
    expect(renderPrompt(pack, 'synthesis/assistant_simulator', {})).toEqual({ system: 'help' });
  });

  test.each(['evaluation/preference_inferrer', 'evaluation/response_generator'] as const)(
    'puts nothing into the system prompt of %s and leaves its braces doubled',
    (name) => {
      const raw: PromptPack = {
        ...pack,
        prompts: {
          [name]: { system_prompt: ' {{"a": {curr_request}} {\n', user_prompt: '{{{curr_request}}}' },
        },
      };
      expect(renderPrompt(raw, name, { curr_request: 'R' })).toEqual({
        system: ' {{"a": {curr_request}} {\n',
        user: '{R}',
      });
    },
  );

  test('says which prompt a pack was loaded without', () => {
    expect(() => renderPrompt(pack, 'synthesis/user_simulator', {})).toThrow(
      /"here" was loaded without synthesis\/user_simulator/u,
    );
  });
});
