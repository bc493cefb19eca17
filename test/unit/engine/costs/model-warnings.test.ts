import { findAssistantWarning, listEvaluatorWarnings } from '../../../../engine/costs/model-warnings';
import { buildPriceTable } from '../../../price-table';

const TABLE = buildPriceTable({
  'openai:strong': { input: 2, output: 10 },
  'openai:weak': { input: 0.1, output: 0.5 },
});

function warningFor(synthesis: string, assistant: string) {
  return findAssistantWarning({ synthesis, user: synthesis, assistant }, TABLE);
}

test('an assistant that is the synthesizer, or costs as much, is warned of (paper, B.4)', () => {
  expect(warningFor('openai:strong', 'openai:strong')).toContain(
    'plays the assistant and generates the data',
  );
  expect(warningFor('openai:weak', 'openai:strong')).toContain('openai:strong, which plays the assistant');
  expect(warningFor('openai:strong', 'openai:weak')).toBeUndefined();
  expect(warningFor('openai:strong', 'together:unpriced')).toBeUndefined();
  expect(warningFor('simulated:default', 'simulated:default')).toBeUndefined();
});

test('an evaluator of the family that generated the data causes a warning, whatever provider serves either', () => {
  const warnings = listEvaluatorWarnings(
    ['bedrock:us.anthropic.claude-opus-5-5', 'openai:gpt-6-luna', 'simulated:default'],
    ['anthropic:claude-sonnet-5-5', null, 'simulated:default'],
  );
  expect(warnings).toEqual([expect.stringContaining('anthropic:claude-sonnet-5-5 generated')]);
  expect(listEvaluatorWarnings(['openai:gpt-6-luna'], ['bedrock:openai.gpt-oss-20b-1:0'])).toHaveLength(1);
  expect(listEvaluatorWarnings(['openai:gpt-6-luna'], [])).toEqual([]);
});
