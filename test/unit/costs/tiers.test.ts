import { parseMinutes, parseTier, tiersFor } from '../../../costs/tiers';
import type { ModelTable } from '../../../schemas/model-table';

const origin = { checked: '2026-01-01', source: 'a test' };
const TABLE: ModelTable = [
  { model: 'openai:gpt-6*', ...origin, tiers: ['flex'] },
  { model: 'anthropic:*', ...origin, tiers: [] },
];

test('a tier is read with or without the SPEC of a model', () => {
  expect(parseTier('flex')).toEqual({ tier: 'flex' });
  expect(parseTier('openai:gpt-6-luna standard')).toEqual({ spec: 'openai:gpt-6-luna', tier: 'standard' });
  expect(() => parseTier('cheap')).toThrow('Write flex or standard');
  expect(() => parseTier('gpt-6-luna flex')).toThrow('names no known provider');
});

test('a time is read in seconds, minutes or hours', () => {
  expect(['90s', '30m', '1.5h'].map(parseMinutes)).toEqual([90_000, 1_800_000, 5_400_000]);
  for (const text of ['30', '0m', 'm', '30 minutes'])
    expect(() => parseMinutes(text)).toThrow('90s, 30m or 2h');
});

test('a tier for all models goes to those that have it, or of which that is unknown', () => {
  const models = ['openai:gpt-6-luna', 'anthropic:claude-x', 'together:unknown', 'simulated:default'];
  expect(tiersFor([{ tier: 'flex' }], models, TABLE)).toEqual({
    'openai:gpt-6-luna': 'flex',
    'together:unknown': 'flex',
  });
  const back = [{ tier: 'flex' } as const, { spec: 'openai:gpt-6-luna', tier: 'standard' } as const];
  expect(tiersFor(back, ['openai:gpt-6-luna'], TABLE)).toEqual({ 'openai:gpt-6-luna': 'standard' });
});

test('a tier that the named model has not, or none of all, is an error', () => {
  const named = [{ spec: 'anthropic:claude-x', tier: 'flex' } as const];
  expect(() => tiersFor(named, [], TABLE)).toThrow('anthropic:claude-x has no flex tier');
  const all = ['anthropic:claude-x', 'simulated:default'];
  expect(() => tiersFor([{ tier: 'flex' }], all, TABLE)).toThrow('have no flex tier');
});
