import { findRejectedParameter } from '../../../../models/errors/failure';

test.each([
  // OpenAI
  [
    {
      param: 'temperature',
      message: "Unsupported value: 'temperature' does not support 0.8 with this model.",
    },
    'temperature',
  ],
  [{ message: "Unsupported value: 'temperature' does not support 0.8 with this model." }, 'temperature'],
  [
    {
      param: 'max_tokens',
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    },
    'max_tokens',
  ],
  [{ message: 'Unrecognized request argument supplied: seed' }, 'seed'],
  [
    { param: 'reasoning_effort', message: "Unsupported value: 'reasoning_effort' does not support 'none'." },
    'effort',
  ],
  [{ message: 'Unrecognized request argument supplied: prompt_cache_options' }, 'cache'],
  // Anthropic, and Bedrock with its own words around it
  [{ message: '`temperature` is deprecated for this model.' }, 'temperature'],
  [
    { message: 'The model returned the following errors: `temperature` is deprecated for this model.' },
    'temperature',
  ],
  [{ message: 'output_config.effort: Extra inputs are not permitted' }, 'effort'],
  [{ message: 'messages.0.content.0.cache_control: Extra inputs are not permitted' }, 'cache'],
  // Gemini
  [{ message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.' }, 'seed'],
  // LiteLLM
  [
    {
      message: "litellm.UnsupportedParamsError: openai does not support parameters: ['seed'], for model=o1.",
    },
    'seed',
  ],
  [{ message: "gpt-5-nano doesn't support temperature=0.1 while reasoning is active." }, 'temperature'],
  // Earlier versions of vLLM
  [{ message: "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs'}]" }, 'seed'],
])('%j is a rejection of %s', (failure, parameter) => {
  expect(findRejectedParameter({ status: 400, ...failure })).toBe(parameter);
});

test.each([
  // vLLM: a value out of its range is the caller's mistake.
  { status: 400, param: 'temperature', message: 'temperature must be non-negative, got -1.0.' },
  { status: 400, param: 'service_tier', message: 'Unsupported service_tier: flex' },
  {
    status: 400,
    param: 'messages',
    message: "Unsupported value: 'messages[0].role' does not support 'developer'.",
  },
  { status: 429, param: 'temperature', message: 'Unsupported value' },
  { status: 400, message: 'the prompt is too long' },
])('%j is none that a call can do without', (failure) => {
  expect(findRejectedParameter(failure)).toBeUndefined();
});
