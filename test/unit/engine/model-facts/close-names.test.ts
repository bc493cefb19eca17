import { readBuiltInTable } from '../../../../data/model-table';
import { findCloseName } from '../../../../engine/model-facts/close-names';

test.each([
  ['openai:gpt-6-lun', 'openai:gpt-6-luna'],
  ['openai:gpt-6-lnua', 'openai:gpt-6-luna'],
  ['openai:gpt-6-lunar', 'openai:gpt-6-luna'],
  ['openai:gpt-61-terra', 'openai:gpt-6.1-terra'],
  ['anthropic:claude-sonet-5-5', 'anthropic:claude-sonnet-5-5'],
  // The first is also a longer form of claude-sonnet-5, which is in the table.
  ['anthropic:claude-sonnet-5.5', 'anthropic:claude-sonnet-5-5'],
  ['anthropic:claude-haiku-5.5', 'anthropic:claude-haiku-5-5'],
  ['anthropic:Claude-Sonnet-5-5', 'anthropic:claude-sonnet-5-5'],
  ['together:qwen/qwen3.5-9b', 'together:Qwen/Qwen3.5-9B'],
  ['bedrock:us.anthropic.claude-sonet-5-5', 'bedrock:anthropic.claude-sonnet-5-5'],
])('%s is %s, mistyped', (typed, meant) => {
  expect(findCloseName(typed, readBuiltInTable())).toBe(meant);
});

test.each([
  // The name itself, with a region, a date, a version, a variant.
  'openai:gpt-6-luna',
  'bedrock:us.anthropic.claude-sonnet-5-5',
  'openai:gpt-6-luna-2026-09-01',
  'openai:gpt-5.5-pro',
  'openai:gpt-6-luna-x',
  'anthropic:claude-sonnet-5-5@20260901',
  // Other versions, and other models.
  'openai:gpt-6.2-terra',
  'openai:gpt-4o-2024-11-21',
  'openai:o5-mini',
  'openai:gpt-6-sun',
  'openai:davinci-002',
  'gemini:gemini-3-pro',
  'openai-compatible:gpt-6-lun',
  'simulated:default',
])('%s is not', (name) => {
  expect(findCloseName(name, readBuiltInTable())).toBeUndefined();
});
