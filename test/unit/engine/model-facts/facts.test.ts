import { listEntries, findEntry, collectFacts } from '../../../../engine/model-facts/facts';
import { sortBySpecificity, type ModelEntry } from '../../../../schemas/model/model-table';

const origin = { checked: '2026-01-01', source: 'a test' };
const family: ModelEntry = { model: 'openai:gpt-6*', ...origin, temperature: 'rejected', seed: 'rejected' };
const model: ModelEntry = { model: 'openai:gpt-6-luna', ...origin, seed: 'accepted', contextWindow: 1000 };
const claude: ModelEntry = { model: 'bedrock:anthropic.claude*', ...origin, contextWindow: 5 };

test('a model has the facts of its family, except those that its own entry states', () => {
  const table = sortBySpecificity([model, claude, family]);
  expect(collectFacts('openai:gpt-6-luna', table)).toEqual({
    temperature: 'rejected',
    seed: 'accepted',
    contextWindow: 1000,
  });
  expect(collectFacts('openai:gpt-6-terra', table)).toEqual({ temperature: 'rejected', seed: 'rejected' });
  expect(collectFacts('openai:gpt-60', table)).not.toEqual({});
  expect(collectFacts('openai:gpt-4o', table)).toEqual({});
});

test('a later entry counts, whatever its pattern: the tables of users and runs follow the built-in one', () => {
  const learned: ModelEntry = { model: 'openai:gpt*', ...origin, seed: 'rejected' };
  expect(collectFacts('openai:gpt-6-luna', [family, model, learned]).seed).toBe('rejected');
  expect(findEntry('openai:gpt-6-luna', 'seed', [family, model, learned])).toBe(learned);
  expect(findEntry('openai:gpt-6-luna', 'retires', [family, model, learned])).toBeUndefined();
});

test('the region of a Bedrock profile, the address of a server and options do not matter', () => {
  expect(collectFacts('bedrock:us.anthropic.claude-x', [claude])).toEqual({ contextWindow: 5 });
  const own: ModelEntry = { model: 'openai-compatible:mine', ...origin, seed: 'rejected' };
  expect(collectFacts('openai-compatible:mine@http://host:8000/v1', [own])).toEqual({ seed: 'rejected' });
  expect(listEntries(['openai:gpt-6-luna', 'bedrock:anthropic.claude-x'], [family, own, claude])).toEqual([
    family,
    claude,
  ]);
});
