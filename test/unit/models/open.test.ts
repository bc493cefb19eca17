import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelError } from '../../../models/errors/error';
import { checkProvider } from '../../../models/check-provider';
import { openModel } from '../../../models/open';
import { parseModelSpec } from '../../../schemas/model/model-spec';

const AWS = { AWS_BEARER_TOKEN_BEDROCK: 't', AWS_REGION: 'us-east-1' };
const EMPTY_HOME = mkdtempSync(join(tmpdir(), 'cupid-home-'));

test.each([
  ['openai:gpt-4o', 'OPENAI_API_KEY'],
  ['anthropic:claude-3-5-sonnet-20241022', 'ANTHROPIC_API_KEY'],
  ['together:meta-llama/Llama-3', 'TOGETHER_API_KEY'],
  ['gemini:gemini-2.5-pro', 'GOOGLE_API_KEY or GEMINI_API_KEY'],
])('%s without a key is a bad key that names %s', async (text, variable) => {
  const spec = parseModelSpec(text);
  await expect(openModel(spec, { OTHER: 'x' })).rejects.toThrow(ModelError);
  await expect(openModel(spec, {})).rejects.toThrow(
    expect.objectContaining({ kind: 'bad-key', isRetryable: false }),
  );
  await expect(openModel(spec, {})).rejects.toThrow(variable);
});

test('an empty key counts as none', async () => {
  await expect(openModel(parseModelSpec('openai:gpt-4o'), { OPENAI_API_KEY: '  ' })).rejects.toThrow(
    'OPENAI_API_KEY',
  );
});

test('a key with a line break inside is reported at once, without showing it', async () => {
  const environment = { OPENAI_API_KEY: 'sk-first\nsk-second' };
  await expect(openModel(parseModelSpec('openai:gpt-4o'), environment)).rejects.toThrow(
    /^OPENAI_API_KEY contains a space, a line break or another character (?!.*sk-)/,
  );
});

describe.each([
  ['openai:gpt-4o', 'OPENAI_BASE_URL', { OPENAI_API_KEY: 'sk-1' }],
  ['anthropic:claude-2.1', 'ANTHROPIC_BASE_URL', { ANTHROPIC_API_KEY: 'k' }],
  ['together:meta-llama/Llama-3', 'TOGETHER_BASE_URL', { TOGETHER_API_KEY: 'k' }],
  ['gemini:gemini-2.5-pro', 'GOOGLE_GEMINI_BASE_URL', { GEMINI_API_KEY: 'k' }],
  ['bedrock:meta.llama3', 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME', AWS],
  ['bedrock:meta.llama3', 'AWS_ENDPOINT_URL', AWS],
])('%s with %s', (text, variable, keys) => {
  const spec = parseModelSpec(text);

  test.each([
    ['http://me:hunter2@localhost:8000/v1', 'contains a user name or password'],
    ['https://hunter2@localhost/v1', 'contains a user name or password'],
    ['https://proxy.example/v1?api_key=hunter2', 'contains a query'],
    ['me:hunter2@localhost:8000', 'is not an http:// or https:// URL'],
  ])('%s is refused before anything is asked, and not repeated', async (url, words) => {
    const environment = { HOME: EMPTY_HOME, ...keys, [variable]: url };
    const { problem } = checkProvider(spec, environment);

    expect(problem).toContain(`${variable} ${words}`);
    expect(problem).not.toContain('hunter2');
    await expect(openModel(spec, environment)).rejects.toThrow(problem);
  });

  test('a plain URL is taken', () => {
    const environment = { HOME: EMPTY_HOME, ...keys, [variable]: ' http://localhost:8000/v1 ' };
    expect(checkProvider(spec, environment)).toEqual({ provider: spec.provider, key: 'present' });
  });
});

test('a simulated model is not opened here', async () => {
  await expect(openModel(parseModelSpec('simulated:default'), {})).rejects.toThrow('simulated/');
});

test.each([
  ['simulated:default', {}, { provider: 'simulated', key: 'not needed' }],
  ['openai:gpt-4o', { OPENAI_API_KEY: 'sk-1' }, { provider: 'openai', key: 'present' }],
  ['gemini:gemini-2.5-pro', { GEMINI_API_KEY: 'k' }, { provider: 'gemini', key: 'present' }],
  ['openai-compatible:q@http://localhost:8000/v1', {}, { provider: 'openai-compatible', key: 'not needed' }],
  [
    'openai-compatible:q@http://localhost:8000/v1',
    { OPENAI_COMPATIBLE_API_KEY: 'k' },
    { provider: 'openai-compatible', key: 'present' },
  ],
  [
    'bedrock:meta.llama3',
    { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'us-east-1' },
    { provider: 'bedrock', key: 'present' },
  ],
  [
    'bedrock:meta.llama3',
    { AWS_BEARER_TOKEN_BEDROCK: 't', AWS_DEFAULT_REGION: 'us-east-1' },
    { provider: 'bedrock', key: 'present' },
  ],
])('%s with %j is ready: %j', (text, environment, check) => {
  expect(checkProvider(parseModelSpec(text), { HOME: EMPTY_HOME, ...environment })).toEqual(check);
});

test.each([
  ['openai:gpt-4o', {}, 'absent', 'OPENAI_API_KEY'],
  ['anthropic:claude-2.1', { OPENAI_API_KEY: 'sk-1' }, 'absent', 'ANTHROPIC_API_KEY'],
  ['bedrock:meta.llama3', { AWS_REGION: 'us-east-1' }, 'absent', 'AWS_ACCESS_KEY_ID'],
  ['bedrock:meta.llama3', { AWS_BEARER_TOKEN_BEDROCK: 't' }, 'present', 'AWS_REGION'],
  ['openai:gpt-4o', { OPENAI_API_KEY: 'sk-one sk-two' }, 'present', 'Set it to the key only'],
])('%s with %j is not: key %s, and what to set', (text, environment, key, words) => {
  const check = checkProvider(parseModelSpec(text), { HOME: EMPTY_HOME, ...environment });
  expect(check).toMatchObject({ key, problem: expect.stringContaining(words) });
  expect(JSON.stringify(check)).not.toContain('sk-');
});

test("credentials in the AWS CLI's files count as present", () => {
  const file = join(mkdtempSync(join(tmpdir(), 'cupid-aws-')), 'credentials');
  writeFileSync(file, '[default]\naws_access_key_id = a\naws_secret_access_key = s\n');
  expect(
    checkProvider(parseModelSpec('bedrock:meta.llama3'), {
      HOME: EMPTY_HOME,
      AWS_SHARED_CREDENTIALS_FILE: file,
    }),
  ).toEqual({ provider: 'bedrock', key: 'present' });
});
