import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import {
  EVALUATION_PROMPT_NAMES,
  PLACEHOLDERS,
  RAW_SYSTEM_PROMPTS,
  SYNTHESIS_PROMPT_NAMES,
  VERIFICATION_PROMPT_NAMES,
  type PromptName,
} from '../../../../data/prompts/files';
import { ERROR_TYPES } from '../../../../schemas/evaluation/evaluation';
import { MATCH_LABELS, matchLabelSchema } from '../../../../schemas/matching/match-label';
import { type PromptPack } from '../../../../schemas/run/prompts';
import { loadPromptPack } from '../../../../data/prompts/load';
import { parseTemplate, renderPrompt } from '../../../../data/prompts/render';
import {
  contextFactorSchema,
  FACTOR_TYPES,
  PREFERENCE_TYPES,
  TASK_TYPES,
} from '../../../../schemas/dataset/factor';
import { personaDescriptionSchema } from '../../../../schemas/dataset/persona';
import { checklistSchema, plannedSessionSchema } from '../../../../schemas/dataset/session';

let pack: PromptPack;

const NAMES = [
  ...new Set<PromptName>([
    ...SYNTHESIS_PROMPT_NAMES,
    ...EVALUATION_PROMPT_NAMES,
    ...VERIFICATION_PROMPT_NAMES,
  ]),
];

beforeAll(async () => {
  pack = await loadPromptPack(undefined, NAMES);
});

test('the built-in pack passes the checks that a pack of a user must pass', async () => {
  const asFolder = await loadPromptPack(path.join(__dirname, '../../../../data/prompts/pack'), NAMES);
  expect(pack.source).toBe('built-in');
  expect(asFolder.hash).toBe(pack.hash);
  expect(asFolder.prompts).toEqual(pack.prompts);
  expect(asFolder.matcherExamples).toEqual(pack.matcherExamples);
});

test.each(NAMES)('%s shows every value it is given, and no doubled brace', (name) => {
  const values = valuesOf(name);
  const text = rendered(name);
  for (const value of Object.values(values)) expect(text).toContain(value);
  expect(text).not.toMatch(/\{\{|\}\}/u);
});

test.each(NAMES)(
  '%s gives its instructions before the first value, so that a provider can cache them',
  (name) => {
    const system = pack.prompts[name]?.system_prompt ?? '';
    const parts = RAW_SYSTEM_PROMPTS.has(name) ? [] : parseTemplate(system).parts;
    const first = parts.findIndex((part) => 'placeholder' in part && !SAME_IN_A_RUN.has(part.placeholder));
    const after = first < 0 ? [] : parts.slice(first);
    const words = after.flatMap((part) => ('text' in part ? part.text.split(/\s+/u).filter(Boolean) : []));
    expect(words.length).toBeLessThan(40);
  },
);

test('the inferrer and the responder are the same up to the end of the log and the request', () => {
  const [infer, respond] = (['evaluation/preference_inferrer', 'evaluation/response_generator'] as const).map(
    (name) => renderPrompt(pack, name, valuesOf(name)),
  );
  expect(infer?.system).toBe(respond?.system);
  const [toInfer, toRespond] = [infer, respond].map((prompt) => prompt?.user?.split('## Your task', 1)[0]);
  expect(toInfer).toBe(toRespond);
  expect(toInfer).toMatch(/^## Previous sessions\n\n<value of interaction_log>\n/u);
  expect(toInfer).toContain('<value of curr_request>');
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

test('the five examples of the checklist prompt and the form of the persona prompt are JSON of the form asked for', () => {
  const text = rendered('synthesis/preference_decomposer');
  const examples = [...text.matchAll(/```json\n(.*?)\n```/gsu)].map(
    ([, json = '']) => z.object({ checklist: checklistSchema }).parse(JSON.parse(json)).checklist,
  );
  expect(examples.map(({ length }) => length)).toEqual([3, 1, 2, 4, 4]);
  for (const question of examples.flat()) expect(question).toMatch(/^(?:Is|Does) .*\bthe response\b.*\?$/u);

  const { personas } = z
    .object({ personas: z.array(personaDescriptionSchema) })
    .parse(JSON.parse(fenced('synthesis/persona_generator', 'json')));
  expect(personas).toHaveLength(2);
});

test('the user simulator is shown the six sections in order, in the form and in both examples', () => {
  const sections = [
    "#### Evaluation of AI Assistant's Response",
    '#### Evaluation Score',
    '#### Continue or End?',
    '#### Selected Checklist Items',
    '#### Thinking',
    '#### Your Message',
  ];
  const headings = rendered('synthesis/user_simulator').match(/^#### .*$/gmu);
  expect(headings).toEqual([...sections, ...sections, ...sections]);
});

test('the assistant is held to six sentences', () => {
  expect(rendered('synthesis/assistant_simulator')).toMatch(/six sentences at most/u);
});

test.each([...RAW_SYSTEM_PROMPTS])(
  'the system prompt of %s, which is sent raw, holds no braces at all',
  (name) => {
    expect(pack.prompts[name]?.system_prompt).not.toMatch(/[{}]/u);
  },
);

test('the inferrer is held to its two headings, one sentence and thirty words', () => {
  const text = rendered('evaluation/preference_inferrer');
  expect(text.match(/^### (?:Analysis|Most Likely Preference)$/gmu)).toEqual([
    '### Analysis',
    '### Most Likely Preference',
  ]);
  expect(text).toMatch(/one sentence of at most 30 words/u);
});

test('the inferrer and the responder learn nothing of contexts and changes, which are theirs to find out', () => {
  for (const name of ['evaluation/preference_inferrer', 'evaluation/response_generator'] as const) {
    expect(rendered(name)).not.toMatch(/context|factor|\bchang|contrast/iu);
  }
});

test('both matchers are shown their form as an answer of that form, with the labels that are known', () => {
  const result = { index: z.number(), entry: z.string(), label: z.string() };
  const { results } = z
    .object({ results: z.array(z.strictObject({ ...result, reasoning: z.string() })) })
    .parse(JSON.parse(fenced('evaluation/preference_matcher', 'json')));
  const list = z
    .array(z.strictObject(result))
    .parse(JSON.parse(fenced('evaluation/preference_matcher_model', 'json')));
  for (const entries of [results, list]) expect(entries.map(({ index }) => index)).toEqual([1, 2]);
  for (const name of ['evaluation/preference_matcher', 'evaluation/preference_matcher_model'] as const) {
    for (const label of MATCH_LABELS) expect(rendered(name)).toContain(label);
    expect(rendered(name)).toContain('#### Checklist');
  }
  expect(rendered('evaluation/preference_matcher')).toContain('#### Preference');
  expect(rendered('evaluation/preference_matcher_model')).toContain('#### Criterion');
});

test('the matcher is shown eight examples of two to four entries, half of them partially covered', () => {
  const examples = pack.matcherExamples ?? [];
  expect(examples).toHaveLength(8);
  for (const { checklist } of examples) {
    expect(checklist.length).toBeGreaterThanOrEqual(2);
    expect(checklist.length).toBeLessThanOrEqual(4);
    for (const { entry } of checklist) expect(entry).toMatch(/\?$/u);
  }
  const labels = examples.flatMap(({ checklist }) => checklist.map(({ label }) => label));
  for (const label of matchLabelSchema.options) {
    expect(labels.filter((other) => other === label).length).toBeGreaterThanOrEqual(6);
  }
  const partial = labels.filter((label) => label === 'Partially Covered').length;
  expect(Math.abs(partial / labels.length - 0.5)).toBeLessThan(0.05);
});

test('the judge is shown its sections in order, and a score from 1 to 10', () => {
  const text = rendered('evaluation/response_judger');
  expect(text.match(/^### Evaluation .*$/gmu)).toEqual([
    "### Evaluation of AI Assistant's Response",
    '### Evaluation Label',
    '### Evaluation Score',
  ]);
  expect(text).toMatch(/whole number from 1 to 10/u);
});

test('the summarizer is shown its form as an answer of that form', () => {
  const texts = z.array(z.string()).min(1);
  const { summaries } = z
    .object({
      summaries: z.array(
        z.strictObject({ session_id: z.number(), analysis: z.string(), context: texts, preferences: texts }),
      ),
    })
    .parse(JSON.parse(fenced('evaluation/interaction_summarizer', 'json')));
  expect(summaries.map((summary) => summary.session_id)).toEqual([1, 2]);
});

test('the error classifier explains exactly the types there are, and is shown its form', () => {
  const text = rendered('evaluation/error_classifier');
  expect([...text.matchAll(/^- \*\*(.*?)\*\*: /gmu)].map(([, type]) => type)).toEqual([...ERROR_TYPES]);
  z.strictObject({ explanation: z.string(), type: z.string() }).parse(
    JSON.parse(fenced('evaluation/error_classifier', 'json')),
  );
});

/** Placeholders with one value for all calls of a run. */
const SAME_IN_A_RUN: ReadonlySet<string> = new Set(['n_factors', 'n_sessions', 'examples']);

function valuesOf(name: PromptName): Record<string, string> {
  return Object.fromEntries(
    PLACEHOLDERS[name].map((placeholder) => [placeholder, `<value of ${placeholder}>`]),
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
