import { PROVIDERS } from '../../../../schemas/model/provider';
import { findCloseWord } from '../../../../schemas/text/close-names';

test.each([
  ['opnai', 'openai'],
  ['OpenAI', 'openai'],
  ['antropic', 'anthropic'],
  ['gemni', 'gemini'],
  ['openai-compatble', 'openai-compatible'],
  ['simulted', 'simulated'],
  // Too different from all of them.
  ['mistral', undefined],
  ['open', undefined],
  ['', undefined],
])('%j means %j', (typed, meant) => {
  expect(findCloseWord(typed, PROVIDERS)).toBe(meant);
});
