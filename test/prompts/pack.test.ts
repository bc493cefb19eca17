import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROMPT_NAMES, type PromptName, SYNTHESIS_PROMPTS } from '../../prompts/files';
import { type PromptPack } from '../../schemas/prompts';
import { loadPromptPack } from '../../prompts/load';
import { renderPrompt } from '../../prompts/render';
import { contextFactorSchema, FACTOR_TYPES, PREFERENCE_TYPES, TASK_TYPES } from '../../schemas/factor';
import { personaDescriptionSchema } from '../../schemas/persona';
import { checklistSchema, plannedSessionSchema } from '../../schemas/session';

let pack: PromptPack;

beforeAll(async () => {
  pack = await loadPromptPack(undefined);
});

test('the built-in pack passes the checks that a pack of a user must pass', async () => {
  const asFolder = await loadPromptPack(path.join(__dirname, '../../prompts/pack'));
  expect(pack.source).toBe('built-in');
  expect(asFolder.hash).toBe(pack.hash);
  expect(asFolder.prompts).toEqual(pack.prompts);
});

test.each(PROMPT_NAMES)('%s shows every value it is given, and no doubled brace', (name) => {
  const values = valuesOf(name);
  const text = rendered(name);
  for (const value of Object.values(values)) expect(text).toContain(value);
  expect(text).not.toMatch(/\{\{|\}\}/u);
});

test('the factors prompt offers exactly the vocabularies that an answer is checked against', () => {
  const text = rendered('synthesis/context_factors_generator');
  expect(listAfter(text, 'Each is of one of these types:')).toEqual([...FACTOR_TYPES]);
  expect(listAfter(text, 'The types of tasks:')).toEqual([...TASK_TYPES]);
  const groups = [...text.matchAll(/^- (?:Style|Informativeness|Harmlessness): (.*)$/gmu)];
  expect(groups.flatMap(([, names]) => names?.split(', ') ?? [])).toEqual([...PREFERENCE_TYPES]);
});

test('the example of the factors prompt is an answer in form, its last two factors the pair', () => {
  const factors = z
    .object({ context_factors: z.array(contextFactorSchema) })
    .parse(parse(fenced('synthesis/context_factors_generator', 'yaml'))).context_factors;
  const [one, other] = factors.slice(-2);
  expect([one?.related_factor, other?.related_factor]).toEqual([other?.factor, one?.factor]);
  expect(one?.factor_type).toBe(other?.factor_type);
  expect(one?.task_types.some((taskType) => other?.task_types.includes(taskType))).toBe(true);
  expect(factors.slice(0, -2).map((factor) => factor.related_factor)).toEqual(['N/A']);
  for (const { preference } of factors) {
    const words = preference.split(' ').length;
    expect(words).toBeGreaterThanOrEqual(12);
    expect(words).toBeLessThanOrEqual(25);
    expect(preference).not.toContain('\n');
  }
});

test('the example of the journey prompt keeps the rules the prompt gives', () => {
  const sessions = z
    .object({ scenarios: z.array(plannedSessionSchema) })
    .parse(parse(fenced('synthesis/sessions_generator', 'yaml'))).scenarios;
  expect(sessions.filter(({ resource }) => resource !== undefined)).toHaveLength(1);
  for (const session of sessions) {
    for (const request of [session.request_with_factor, session.request_with_factor_and_preference]) {
      expect(request).toContain(session.context_factor);
      expect(request.split('[resource]')).toHaveLength(session.resource === undefined ? 1 : 2);
    }
    expect(session.request_with_factor_and_preference.startsWith(session.request_with_factor)).toBe(true);
    expect(session.preference).not.toMatch(/\b(?:now|instead|no longer|any ?more|rather than)\b/iu);
  }
});

test('the example of the checklist prompt and the form of the persona prompt are JSON of the form asked for', () => {
  const { checklist } = z
    .object({ checklist: checklistSchema })
    .parse(JSON.parse(fenced('synthesis/preference_decomposer', 'json')));
  expect(checklist).toHaveLength(3);
  for (const question of checklist) expect(question).toMatch(/^(?:Is|Does) .*\bthe response\b.*\?$/u);

  const { personas } = z
    .object({ personas: z.array(personaDescriptionSchema) })
    .parse(JSON.parse(fenced('synthesis/persona_generator', 'json')));
  expect(personas).toHaveLength(2);
});

test('the user simulator is shown the six sections in order, in the form and in the example', () => {
  const sections = [
    "#### Evaluation of AI Assistant's Response",
    '#### Evaluation Score',
    '#### Continue or End?',
    '#### Selected Checklist Items',
    '#### Thinking',
    '#### Your Message',
  ];
  const headings = rendered('synthesis/user_simulator').match(/^#### .*$/gmu);
  expect(headings).toEqual([...sections, ...sections]);
});

test('the assistant is held to six sentences', () => {
  expect(rendered('synthesis/assistant_simulator')).toMatch(/six sentences at most/u);
});

function valuesOf(name: PromptName): Record<string, string> {
  return Object.fromEntries(
    SYNTHESIS_PROMPTS[name].map((placeholder) => [placeholder, `<value of ${placeholder}>`]),
  );
}

function rendered(name: PromptName): string {
  const { system, user } = renderPrompt(pack, name, valuesOf(name));
  return user === undefined ? system : `${system}\n${user}`;
}

function listAfter(text: string, sentence: string): string[] {
  const paragraph =
    text
      .slice(text.indexOf(sentence) + sentence.length)
      .trimStart()
      .split('\n\n', 1)[0] ?? '';
  return paragraph.split('\n').map((line) => line.replace(/^- /u, ''));
}

function fenced(name: PromptName, language: 'json' | 'yaml'): string {
  const { system } = renderPrompt(pack, name, valuesOf(name));
  const [, content] = system.match(new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 'su')) ?? [];
  if (content === undefined) throw new Error(`${name} has no ${language} block.`);
  return content;
}
