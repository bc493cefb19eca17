import { chooseParameters } from '../../../models/parameters';
import type { ModelFacts } from '../../../schemas/model/model-table';
import { requestOf } from './providers/providers';

const ASKED = { temperature: 0.3, maxTokens: 1000, seed: 7 };

function sent(facts: ModelFacts, changes = {}, sending = {}) {
  return chooseParameters(requestOf({ ...ASKED, ...changes }), sending, facts);
}

test('everything is sent to a model that nothing is known of, and the limit is that of the visible text', () => {
  expect(sent({}, { reasoningEffort: 'low' })).toMatchObject({
    temperature: 0.3,
    seed: 7,
    tokenLimit: 1000,
    effort: 'low',
  });
});

test('what a model rejects is left out, and a fixed temperature replaces the wanted one', () => {
  const rejecting: ModelFacts = { temperature: 'rejected', seed: 'rejected', reasoning: { efforts: [] } };
  expect(Object.keys(sent(rejecting, { reasoningEffort: 'low' }))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/temperature|seed|effort/)]),
  );
  expect(sent({ temperature: 1 })).toMatchObject({ temperature: 1 });
  expect(sent({ temperature: 'accepted' }, { temperature: 'default' })).not.toHaveProperty('temperature');
});

test('a model that takes a temperature only without reasoning gets one where its effort is none', () => {
  const facts: ModelFacts = {
    temperature: 'without-reasoning',
    reasoning: { efforts: ['none', 'low'], default: 'none' },
  };
  expect(sent(facts)).toMatchObject({ temperature: 0.3 });
  expect(sent(facts, { reasoningEffort: 'low' })).not.toHaveProperty('temperature');
  const reasons: ModelFacts = { ...facts, reasoning: { efforts: ['none', 'low'], default: 'low' } };
  expect(sent(reasons)).not.toHaveProperty('temperature');
  expect(sent(reasons, { reasoningEffort: 'none' })).toMatchObject({ temperature: 0.3 });
});

test('reasoning that counts gets room of its own, and more once it was used up', () => {
  const reasoning = { efforts: ['none', 'low'], default: 'low', counts: true, allowance: 4000 };
  expect(sent({ reasoning }).tokenLimit).toBe(5000);
  expect(sent({ reasoning }, { reasoningEffort: 'none' }).tokenLimit).toBe(1000);
  expect(sent({ reasoning: { ...reasoning, counts: false } }).tokenLimit).toBe(1000);
  expect(sent({ reasoning, extraTokens: 16_384 }).tokenLimit).toBe(21_384);
  // Also for an unknown model.
  expect(sent({ extraTokens: 16_384 }).tokenLimit).toBe(17_384);
});

test('a thinking budget is smaller than the limit, as the reference program has it', () => {
  expect(sent({ thinkingBudget: 1024 }, { maxTokens: 500 })).toMatchObject({
    thinkingBudget: 1024,
    tokenLimit: 1524,
  });
  expect(sent({ thinkingBudget: 1024 }, { maxTokens: 2048 }).tokenLimit).toBe(2048);
  expect(sent({ thinkingBudget: 1024, extraTokens: 500 }, { maxTokens: 2048 }).tokenLimit).toBe(2548);
});

test('only another tier than the standard one is asked for, and caching only where the model caches', () => {
  const cache = { key: 'k', ends: [] };
  expect(sent({}, {}, { tier: 'flex', cache })).toMatchObject({ tier: 'flex', cache });
  expect(sent({}, {}, { tier: 'standard' })).not.toHaveProperty('tier');
  expect(sent({ caching: { kind: 'none' } }, {}, { cache })).not.toHaveProperty('cache');
});
