import { listEvaluationUses, listSynthesisUses } from '../../../../engine/model-facts/uses';
import type { Cell } from '../../../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { SYNTHESIS_STEPS } from '../../../../schemas/run/step';

const settings = synthesisSettingsSchema.parse({
  models: { synthesis: 'openai:s', user: 'openai:u', assistant: 'openai:a' },
  steps: { user: { temperature: 0.5, reasoningEffort: 'low' } },
});

test('each model of a run is called as its steps call it', () => {
  const uses = listSynthesisUses({ settings, restarts: [] }, ['journey', 'user', 'assistant']);
  expect(uses.map(({ spec }) => spec)).toEqual(['openai:s', 'openai:u', 'openai:a']);
  expect(uses[1]?.asking).toMatchObject({ temperature: 0.5, reasoningEffort: 'low' });
});

test('a model that a retry replaced is not called: it may be gone', () => {
  const restart = { persona: 1, session: 2, step: 'user', turn: 3, revision: 1 } as const;
  const model = { role: 'user', spec: 'openai:new' } as const;
  const uses = listSynthesisUses({ settings, restarts: [{ ...restart, model }] }, SYNTHESIS_STEPS);
  expect(new Set(uses.map(({ spec }) => spec))).toEqual(new Set(['openai:s', 'openai:new', 'openai:a']));
});

test('each model of an evaluation is called as the first step of a cell calls it', () => {
  const cells: Cell[] = [
    {
      task: 'inference',
      model: 'openai:m',
      context: 'full',
      decomposer: 'openai:d',
      matcher: { spec: 'openai:e', form: 'evaluator' },
      selection: { limit: null, types: ['changing'] },
    },
  ];
  const steps = {
    infer: { temperature: 0.1 },
    decompose: { temperature: 0.2 },
    match: { temperature: 0.3 },
    classify: { temperature: 0.4 },
  };
  const uses = listEvaluationUses({ cells, settings: evaluationSettingsSchema.parse({ steps }) }, [
    'openai:m',
    'openai:d',
    'openai:e',
    'openai:labeller',
  ]);
  expect(uses.map(({ asking }) => asking.temperature)).toEqual([0.1, 0.2, 0.3, 0.4]);
});
