import { chooseTiers } from '../../../../engine/costs/tiers';
import type { ModelTable } from '../../../../schemas/model/model-table';

const origin = { checked: '2026-01-01', source: 'a test' };
const TABLE: ModelTable = [
  { model: 'openai:gpt-6*', ...origin, tiers: ['flex'] },
  { model: 'anthropic:*', ...origin, tiers: [] },
];

test('a tier for all models goes to those that have it, or of which that is unknown', () => {
  const models = ['openai:gpt-6-luna', 'anthropic:claude-x', 'together:unknown', 'simulated:default'];
  expect(chooseTiers([{ tier: 'flex' }], models, TABLE)).toEqual({
    'openai:gpt-6-luna': 'flex',
    'together:unknown': 'flex',
  });
  const back = [{ tier: 'flex' } as const, { spec: 'openai:gpt-6-luna', tier: 'standard' } as const];
  expect(chooseTiers(back, ['openai:gpt-6-luna'], TABLE)).toEqual({ 'openai:gpt-6-luna': 'standard' });
});

test('a tier that the named model has not, or none of all, is an error', () => {
  const named = [{ spec: 'anthropic:claude-x', tier: 'flex' } as const];
  expect(() => chooseTiers(named, [], TABLE)).toThrow('anthropic:claude-x has no flex tier');
  const all = ['anthropic:claude-x', 'simulated:default'];
  expect(() => chooseTiers([{ tier: 'flex' }], all, TABLE)).toThrow('have no flex tier');
});
