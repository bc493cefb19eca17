import { sampleCorrelation } from 'simple-statistics';
import { GROUPS, findPaperModel, readPaperNumbers, type PaperModel } from '../../../data/paper';
import { ERROR_TYPES } from '../../../schemas/evaluation/evaluation';
import { CONTEXT_FORMS } from '../../../schemas/evaluation/context';
import { formatModelName } from '../../../schemas/model/model-spec';

const { models, correlations, agreement, errors, data, evaluator } = readPaperNumbers();

function modelNamed(name: string): PaperModel {
  const found = models.find((model) => model.name === name);
  if (found === undefined) throw new Error(`The file has no model ${name}.`);
  return found;
}

describe('the numbers are those printed', () => {
  test.each([
    ['table 1', 'Claude 3.7 Sonnet', 'evaluator', 'full', 'all', 0.491, 0.646, 0.558],
    ['table 1', 'Mistral 7B', 'evaluator', 'full', 'consistent', 0.223, 0.256, 0.238],
    ['table 1', 'Gemini 2.0 Pro', 'evaluator', 'full', 'changing', 0.43, 0.685, 0.529],
    ['table 1, oracle', 'o3-mini', 'evaluator', 'oracle', 'all', 0.489, 0.687, 0.571],
    ['table 9', 'Mistral 7B', 'evaluator', 'summary', 'all', 0.36, 0.498, 0.418],
    ['table 9', 'DeepSeek-R1', 'evaluator', 'summary', 'contrastive', 0.413, 0.581, 0.483],
    ['table 11', 'GPT-4o', 'prefmatcher', 'full', 'contrastive', 0.307, 0.473, 0.372],
    ['table 11', 'Gemini 2.0 Flash Thinking', 'prefmatcher', 'full', 'contrastive', 0.337, 0.499, 0.403],
    ['table 11, oracle', 'Qwen2.5 72B', 'prefmatcher', 'oracle', 'all', 0.588, 0.755, 0.661],
  ] as const)('%s: %s', (_table, name, matcher, context, group, precision, recall, f1) => {
    expect(modelNamed(name).inference[matcher][context]?.[group]).toEqual({ precision, recall, f1 });
  });

  test.each([
    ['table 3', 'DeepSeek-R1', 'full', 'all', 7.68],
    ['table 3', 'Claude 3.5 Sonnet', 'full', 'contrastive', 5.08],
    ['table 3, oracle', 'Llama 3.1 405B', 'oracle', 'all', 6.96],
    ['table 3, preference', 'o3-mini', 'preference', 'all', 9.72],
    ['table 10', 'Gemini 2.0 Pro', 'summary', 'changing', 8.24],
    ['table 10', 'Mistral 7B', 'summary', 'all', 5.02],
  ] as const)('%s: %s', (_table, name, given, group, score) => {
    expect(modelNamed(name).generation[given]?.[group]).toBe(score);
  });

  test('table 8, the correlations, the agreement and the statistics', () => {
    expect(modelNamed('GPT-4o')).toMatchObject({
      version: '2024-08-07',
      api: 'OpenAI',
      parameters: 'temperature=0',
    });
    expect(modelNamed('DeepSeek-R1')).toMatchObject({ version: null, api: 'Together AI' });
    expect(correlations).toEqual({ matchers: { r: 0.997, p: '<0.001' }, tasks: { r: 0.764, p: '0.010' } });
    expect(agreement).toEqual({ alpha: { evaluator: 0.769, prefmatcher: 0.748 }, people: 0.467 });
    expect(data).toEqual({
      personas: 252,
      instances: 756,
      preferenceTokens: 18.4,
      checklistEntries: 2.9,
      dialogueTurns: 6.38,
      dialogueTokens: 921.5,
      priorTokens: 8186.7,
    });
    expect(evaluator).toBe('openai:gpt-4o-2024-11-20');
  });

  test('table 2: the shares of the four kinds of error make a whole', () => {
    expect(errors.map(({ model }) => model)).toEqual(['DeepSeek-R1', 'Llama 3.1 405B']);
    for (const { shares } of errors) {
      expect(Object.keys(shares)).toEqual([...ERROR_TYPES]);
      expect(Object.values(shares).reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 10);
    }
    expect(errors[0]?.shares['Incorrect Context']).toBe(0.86);
    expect(errors[1]?.shares['Shallow Inference']).toBe(0.5);
  });
});

test('there are ten models, and none lacks a number that its tables have', () => {
  expect(new Set(models.map(({ name }) => name)).size).toBe(10);
  for (const { inference, generation } of models) {
    expect(Object.keys(inference.evaluator)).toEqual(
      CONTEXT_FORMS.filter((context) => context !== 'none' && context !== 'memory'),
    );
    expect(Object.keys(inference.prefmatcher)).toEqual(['full', 'oracle']);
    expect(new Set(Object.keys(generation))).toEqual(
      new Set([...CONTEXT_FORMS.filter((given) => given !== 'none' && given !== 'memory'), 'preference']),
    );
    for (const scores of [...Object.entries(inference.evaluator), ...Object.entries(generation)]) {
      const expected = ['oracle', 'preference'].includes(scores[0]) ? ['all'] : [...GROUPS];
      expect(Object.keys(scores[1])).toEqual(expected);
    }
    expect(Object.keys(inference.prefmatcher.full ?? {})).toEqual([...GROUPS]);
    expect(Object.keys(inference.prefmatcher.oracle ?? {})).toEqual(['all']);
  }
});

/** Half of the last printed digit. */
const HALF_DIGIT = 0.0005;

test('every F1 is the harmonic mean of the precision and the recall beside it, as far as they are printed', () => {
  let checked = 0;
  for (const { inference } of models) {
    for (const settings of [...Object.values(inference.evaluator), ...Object.values(inference.prefmatcher)]) {
      for (const { precision, recall, f1 } of Object.values(settings)) {
        const least = harmonicMean(precision - HALF_DIGIT, recall - HALF_DIGIT) - HALF_DIGIT;
        const most = harmonicMean(precision + HALF_DIGIT, recall + HALF_DIGIT) + HALF_DIGIT;
        expect(f1).toBeGreaterThanOrEqual(least);
        expect(f1).toBeLessThanOrEqual(most);
        checked += 1;
      }
    }
  }
  expect(checked).toBe(10 * (5 + 4 + 5));
});

function harmonicMean(one: number, other: number): number {
  return (2 * one * other) / (one + other);
}

test('the three types, of 252 instances each, average to what is printed for all', () => {
  const gaps: number[] = [];
  for (const { inference, generation } of models) {
    for (const { all, consistent, contrastive, changing } of [
      inference.evaluator.full,
      inference.evaluator.summary,
      inference.prefmatcher.full,
    ].map((scores) => scores ?? {})) {
      for (const measure of ['precision', 'recall'] as const) {
        const types = [consistent, contrastive, changing].map((scores) => scores?.[measure] ?? Number.NaN);
        gaps.push(Math.abs(mean(types) - (all?.[measure] ?? Number.NaN)) / HALF_DIGIT);
      }
    }
    for (const scores of [generation.full ?? {}, generation.summary ?? {}]) {
      const types = [scores.consistent, scores.contrastive, scores.changing];
      gaps.push(Math.abs(mean(types.map(Number)) - Number(scores.all)) / 0.005);
    }
  }
  expect(gaps).toHaveLength(10 * 8);
  // The means of the types are rounded, and so is the total.
  for (const gap of gaps) expect(gap).toBeLessThan(2 + 1e-6);
});

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

test('the correlations follow from the tables, as far as they are printed', () => {
  const f1 = (matcher: 'evaluator' | 'prefmatcher') =>
    models.map(({ inference }) => inference[matcher].full?.all?.f1 ?? Number.NaN);
  const scores = models.map(({ generation }) => generation.full?.all ?? Number.NaN);
  expect(sampleCorrelation(f1('evaluator'), f1('prefmatcher'))).toBeCloseTo(correlations.matchers.r, 3);
  // The printed digits give 0.7651.
  expect(Math.abs(sampleCorrelation(f1('evaluator'), scores) - correlations.tasks.r)).toBeLessThan(0.002);
});

describe("the paper's model behind a SPEC", () => {
  test.each([
    ['openai:gpt-4o-2024-08-07', 'GPT-4o'],
    ['openai:o3-mini-2025-01-31', 'o3-mini'],
    ['together:deepseek-ai/DeepSeek-R1', 'DeepSeek-R1'],
    ['together:mistralai/Mistral-7B-Instruct-v0.3', 'Mistral 7B'],
    ['bedrock:anthropic.claude-3-7-sonnet-20250219-v1:0', 'Claude 3.7 Sonnet'],
    ['bedrock:us.anthropic.claude-3-7-sonnet-20250219-v1:0', 'Claude 3.7 Sonnet'],
    ['bedrock:apac.anthropic.claude-3-5-sonnet-20240620-v1:0', 'Claude 3.5 Sonnet'],
    ['anthropic:claude-3-7-sonnet-20250219', 'Claude 3.7 Sonnet'],
    ['gemini:gemini-2.0-pro-exp-02-05', 'Gemini 2.0 Pro'],
  ])('%s is its %s', (spec, name) => {
    expect(findPaperModel(spec)?.name).toBe(name);
    expect(findPaperModel(formatModelName(spec))?.name).toBe(name);
  });

  test.each([
    ['another version', 'openai:gpt-4o-2024-11-20'],
    ['a name that moves', 'openai:gpt-4o'],
    ['a name that only begins so', 'openai:gpt-4o-2024-08-07-mini'],
    ['another version', 'bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['other weights', 'together:meta-llama/Meta-Llama-3.1-405B-Instruct'],
    ["anyone's server", 'openai-compatible:gpt-4o-2024-08-07@http://localhost:8000/v1'],
    ["anyone's file", 'module:./gpt-4o-2024-08-07'],
    ['no model at all', 'simulated:default'],
  ])('%s is none of them: %s', (_why, spec) => {
    expect(findPaperModel(spec)).toBeUndefined();
  });
});
