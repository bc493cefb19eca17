import { EMPTY_LOG, renderInteractionLog } from '../../../../data/prompts/evaluation-values';
import { loadPromptPack } from '../../../../data/prompts/load';
import { buildResponsePairs, type JudgedResponse } from '../../../../publishing/training/responses';
import { findShownSessions } from '../../../../rules/instances/shown-sessions';
import type { PromptPack } from '../../../../schemas/run/prompts';
import { buildSoundInstances } from '../sound-data';

const [INSTANCE] = buildSoundInstances(1);
if (INSTANCE === undefined) throw new Error('There is no instance.');
const instance = INSTANCE;

let prompts: PromptPack;
beforeAll(async () => {
  prompts = await loadPromptPack(undefined, [
    'evaluation/response_generator',
    'evaluation/response_generator_with_preference',
  ]);
});

const response = (model: string, score: number, more: Partial<JudgedResponse> = {}): JudgedResponse => ({
  model,
  score,
  response: `By ${model}.`,
  context: 'full',
  evaluator: 'judge',
  ...more,
});

test.each([
  [
    'the higher score is chosen, in any order',
    [response('a', 3), response('b', 8), response('c', 5)],
    ['b8 a3', 'c5 a3', 'b8 c5'],
  ],
  ['equal scores make no pair', [response('a', 3), response('b', 3)], []],
  ['a text is no pair of itself', [response('a', 3), response('b', 8, { response: 'By a.' })], []],
  [
    'scores of different judges are not compared',
    [response('a', 3), response('b', 8, { evaluator: 'other' })],
    [],
  ],
  [
    'responses to different prompts are not compared',
    [response('a', 3), response('b', 8, { context: 'none' })],
    [],
  ],
  [
    'models that read their own summaries had different prompts',
    [response('a', 3, { context: 'summary' }), response('b', 8, { context: 'summary' })],
    [],
  ],
])('%s', (_name, responses, expected) => {
  const pairs = buildResponsePairs(instance, responses, prompts);
  expect(
    pairs.map(
      (pair) => `${pair.chosen_model}${pair.chosen_score} ${pair.rejected_model}${pair.rejected_score}`,
    ),
  ).toEqual(expected);
  for (const { chosen, rejected, chosen_model, rejected_model } of pairs) {
    expect(chosen).toEqual([{ role: 'assistant', content: `By ${chosen_model}.` }]);
    expect(rejected).toEqual([{ role: 'assistant', content: `By ${rejected_model}.` }]);
  }
});

test.each([
  ['full', (): string => renderInteractionLog(instance.prior_interactions)],
  ['oracle', (): string => renderInteractionLog(findShownSessions(instance, 'oracle') ?? [])],
  ['none', (): string => EMPTY_LOG],
  ['preference', (): string => instance.current_contextual_preference],
] as const)('the prompt of %s shows what the models were shown', (context, render) => {
  const [pair] = buildResponsePairs(
    instance,
    [response('a', 3, { context }), response('b', 8, { context })],
    prompts,
  );
  const name = `evaluation/response_generator${context === 'preference' ? '_with_preference' : ''}`;
  const [system, user] = pair?.prompt ?? [];
  expect(system).toEqual({ role: 'system', content: prompts.prompts[name]?.system_prompt });
  expect(user?.role).toBe('user');
  expect(user?.content).toContain(instance.current_request);
  expect(user?.content).toContain(render());
});

test('an oracle shows the sessions of the current factor and preference', () => {
  const shown = findShownSessions(instance, 'oracle') ?? [];
  expect(shown).toHaveLength(2);
  expect(new Set(shown.map(({ contextual_preference: preference }) => preference))).toEqual(
    new Set([instance.current_contextual_preference]),
  );
});
