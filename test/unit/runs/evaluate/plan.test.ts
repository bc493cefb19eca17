import { computePackHash } from '../../../../data/prompts/load';
import {
  buildMatrixCells,
  buildPanelCells,
  growEvaluation,
  listEvaluationDifferences,
  planEvaluation,
  type EvaluationTarget,
} from '../../../../runs/evaluate/plan';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import type { PromptPack } from '../../../../schemas/run/prompts';

const MATRIX = {
  models: ['openai:tested'],
  contexts: ['full'],
  oraclePreference: false,
} as const;

const DATA = {
  argument: 'd',
  source: 'd',
  files: [],
  sha256: 'ab',
  simulated: undefined,
  canary: undefined,
} as const;

function buildPack(...names: string[]): PromptPack {
  const prompts = Object.fromEntries(names.map((name) => [name, { system_prompt: name }]));
  return { source: 'pack', prompts, hash: computePackHash({ prompts }) };
}

function buildTarget(task: 'inference' | 'choice', prompts: PromptPack): EvaluationTarget {
  const cells = buildMatrixCells(
    { ...MATRIX, tasks: [task], selection: { limit: null, types: ['changing'] } },
    {
      evaluators: ['openai:x'],
    },
  );
  return { settings: evaluationSettingsSchema.parse({ seed: 1, steps: {} }), cells, studies: {}, prompts };
}

test.each([
  ['another time for a message', { timeoutMs: 1_000 }, 0],
  ['another budget', { budgetTokens: 200 }, 1],
  ['another memory system', { spec: 'memory:command:other' }, 1],
])(
  'an evaluation with %s of its memory system is continued if that gives the same contexts',
  (_, change, differences) => {
    const memory = { spec: 'memory:command:mine', budgetTokens: 100 };
    const target = { ...buildTarget('choice', buildPack('choose')), memory };
    const before = planEvaluation(target, DATA, 1);
    const now = { ...target, memory: { ...memory, ...change } };
    expect(listEvaluationDifferences(before, now)).toHaveLength(differences);
    expect(growEvaluation(before, now, []).inputs.memory).toEqual(now.memory);
  },
);

test('an evaluation is not continued with other texts of its prompts', () => {
  const before = planEvaluation(buildTarget('inference', buildPack('infer')), DATA, 1);
  expect(listEvaluationDifferences(before, buildTarget('inference', buildPack('infer')))).toEqual([]);
  expect(listEvaluationDifferences(before, buildTarget('inference', buildPack('other')))).toEqual([
    'prompts: pack has other texts than before',
  ]);
});

test('evaluators of one decomposer and one matcher model are one cell of inference, and a cell of generation each', () => {
  const panel = { evaluators: ['openai:x', 'openai:y'], decomposer: 'openai:x', prefMatcher: 'openai:z' };
  const cells = buildMatrixCells(
    {
      models: ['openai:tested'],
      tasks: ['inference', 'generation'],
      contexts: ['full'],
      oraclePreference: false,
      selection: { limit: null, types: ['consistent'] },
    },
    panel,
  );
  expect(cells.map(({ task }) => task)).toEqual(['inference', 'generation', 'generation']);
  expect(buildPanelCells({ cells }, ['inference', 'generation'], panel)).toEqual(cells);
});
