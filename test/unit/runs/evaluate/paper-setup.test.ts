import { createHash } from 'node:crypto';
import { readPaperNumbers } from '../../../../data/paper';
import { isComparable } from '../../../../rules/scores/paper-parts';
import { compareWithPaper, hasPrefMatcherPrompt } from '../../../../runs/evaluate/paper-setup';
import { EXAMPLES_FILE, EVALUATION_PROMPT_NAMES } from '../../../../data/prompts/files';
import { readEvaluationPrompts } from '../../../../runs/evaluate/plan';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import type { PromptPack } from '../../../../schemas/run/prompts';

const GPT_4O = 'openai:gpt-4o-2024-11-20';
const PREFMATCHER = 'openai-compatible:kixlab/prefmatcher-7b';
const { steps: STEPS } = evaluationSettingsSchema.parse({});
const DATA = { source: 'hub:kixlab/CUPID@0123456789abcdef', instances: 756 };

const INFERENCE = {
  task: 'inference',
  context: 'full',
  evaluator: GPT_4O,
  evaluator_form: 'evaluator',
  decomposer: GPT_4O,
  instances: 756,
} as const;
const GENERATION = { ...INFERENCE, task: 'generation', evaluator_form: 'judge', decomposer: null } as const;

/** Replaces the authors' pack, whose texts are not part of the program: each prompt's texts are its name. */
const NAMES = Object.keys(readPaperNumbers().prompts);
const EXAMPLE = { preference: 'p', checklist: [{ entry: 'e', label: 'Fully Covered' as const }] };
const AUTHORS: PromptPack = {
  source: 'theirs',
  hash: '',
  prompts: Object.fromEntries(
    EVALUATION_PROMPT_NAMES.map((name) => [
      name,
      { system_prompt: `the system's\n\n  ${name}\n`, user_prompt: name },
    ]),
  ),
  matcherExamples: [EXAMPLE],
};

function hash(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

beforeEach(() => {
  jest.replaceProperty(
    readPaperNumbers(),
    'prompts',
    Object.fromEntries(
      NAMES.map((name) => [
        name,
        name === EXAMPLES_FILE ? hash('p', 'e', 'Fully Covered') : hash(`the system's ${name}`, name),
      ]),
    ),
  );
});

afterEach(() => {
  jest.restoreAllMocks();
});

test.each([
  ['inference', INFERENCE],
  ['inference from the relevant sessions', { ...INFERENCE, context: 'oracle' }],
  [
    'inference matched by PrefMatcher',
    { ...INFERENCE, evaluator: PREFMATCHER, evaluator_form: 'prefmatcher' },
  ],
  ['generation', GENERATION],
] as const)("%s with the paper's data, prompts and models is comparable", (_of, cell) => {
  const setup = compareWithPaper(cell, DATA, AUTHORS, STEPS);
  expect(new Set(Object.values(setup))).toEqual(new Set(['paper']));
  expect(isComparable(setup)).toBe(true);
});

test.each([
  ['other data', INFERENCE, { ...DATA, source: 'out' }, 'data', 'other (out)'],
  ['another version of the data', INFERENCE, { ...DATA, instances: 700 }, 'data', `other (${DATA.source})`],
  ['a part of the data', { ...INFERENCE, instances: 12 }, DATA, 'data', 'other (12 of 756 instances)'],
  ['another decomposer', { ...INFERENCE, decomposer: 'openai:o1' }, DATA, 'decomposer', 'other (openai:o1)'],
  ['another matcher', { ...INFERENCE, evaluator: 'openai:o1' }, DATA, 'matcher', 'other (openai:o1)'],
  ['another judge', { ...GENERATION, evaluator: 'openai:o1' }, DATA, 'judge', 'other (openai:o1)'],
  [
    'a PrefMatcher of another name',
    { ...INFERENCE, evaluator: GPT_4O, evaluator_form: 'prefmatcher' },
    DATA,
    'matcher',
    `other (${GPT_4O})`,
  ],
  [
    'a prompt that the paper does not publish',
    { ...GENERATION, context: 'preference' },
    DATA,
    'prompts',
    'other (theirs: evaluation/response_generator_with_preference)',
  ],
] as const)("%s is named, and all else is the paper's", (_of, cell, data, part, name) => {
  const { [part]: found, ...rest } = compareWithPaper(cell, data, AUTHORS, STEPS);
  expect(found).toBe(name);
  expect(new Set(Object.values(rest))).toEqual(new Set(['paper']));
});

test.each([
  ['decomposer', INFERENCE, 'decompose'],
  ['matcher', INFERENCE, 'match'],
  ['judge', GENERATION, 'judge'],
] as const)("a %s at another temperature than the paper's is named", (part, cell, step) => {
  const steps = { ...STEPS, [step]: { ...STEPS[step], temperature: 1 } };
  const { [part]: named, ...rest } = compareWithPaper(cell, DATA, AUTHORS, steps);
  expect(named).toBe(`other (${GPT_4O}, temperature 1)`);
  expect(new Set(Object.values(rest))).toEqual(new Set(['paper']));
});

function promptsOf(pack: PromptPack): string {
  return compareWithPaper(INFERENCE, DATA, pack, STEPS).prompts;
}

test('prompts are told apart by their words, and only those that a number depends on count', () => {
  const changed = (name: string): PromptPack => ({
    ...AUTHORS,
    prompts: { ...AUTHORS.prompts, [name]: { system_prompt: 'Other words.' } },
  });
  expect(promptsOf(changed('evaluation/preference_matcher'))).toBe(
    'other (theirs: evaluation/preference_matcher)',
  );
  expect(promptsOf(changed('evaluation/response_judger'))).toBe('paper');
  expect(promptsOf({ ...AUTHORS, matcherExamples: [] })).toBe(`other (theirs: ${EXAMPLES_FILE})`);
});

test("the built-in prompts are not the paper's", async () => {
  const pack = await readEvaluationPrompts(undefined);
  expect(compareWithPaper(INFERENCE, DATA, pack, STEPS).prompts).toBe('other (built-in)');
  expect(hasPrefMatcherPrompt(pack)).toBe(false);
  expect(hasPrefMatcherPrompt(AUTHORS)).toBe(true);
});
