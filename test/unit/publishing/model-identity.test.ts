import { buildModelId } from '../../../publishing/export/model-identity';

test.each([
  ['openai:gpt-6-luna', 'openai/gpt-6-luna'],
  ['gemini:gemini-3', 'google/gemini-3'],
  ['together:Qwen/Qwen3.5-9B', 'Qwen/Qwen3.5-9B'],
  ['openai-compatible:kixlab/prefmatcher-7b@http://localhost:8000/v1', 'kixlab/prefmatcher-7b'],
  ['openai-compatible:llama', 'openai-compatible/llama'],
  ['bedrock:us.anthropic.claude-v2:0', 'bedrock/us.anthropic.claude-v2-0'],
  ['module:./models/mine.mjs', 'module/mine.mjs'],
  ['simulated:default?reads=all&x=1.', 'simulated/default-reads=all-x=1'],
])('%s is %s', (name, id) => {
  expect(buildModelId(name)).toBe(id);
});
