import * as fc from 'fast-check';
import { parseModelSpec } from '../../../../schemas/model/model-spec';
import { PROVIDERS } from '../../../../schemas/model/provider';

const name = fc.stringMatching(/^[\w.:/-]{1,40}$/).filter((text) => !text.includes('://'));
const host = fc.webUrl({ withQueryParameters: false, withFragments: false });
/** Providers with a service of their own. */
const hosted = fc.constantFrom('openai', 'bedrock', 'together', 'anthropic', 'gemini');

test('a SPEC is its provider, its name and, of an openai-compatible server, its URL', () => {
  fc.assert(
    fc.property(hosted, name, (provider, model) => {
      expect(parseModelSpec(`${provider}:${model}`)).toEqual({ provider, model, options: {} });
    }),
  );
  fc.assert(
    fc.property(name, host, (model, url) => {
      expect(parseModelSpec(`openai-compatible:${model}@${url}`)).toEqual({
        provider: 'openai-compatible',
        model,
        url,
        options: {},
      });
    }),
  );
});

test('any text is parsed or refused on one printable line', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.constantFrom(...PROVIDERS), fc.string({ unit: 'binary' }))
      .map(([provider, rest]) => `${provider}:${rest}`),
  );
  fc.assert(
    fc.property(text, (spec) => {
      const refusal = refusalOf(spec) ?? '';
      expect(refusal).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 1_000 },
  );
});

test('a space, a ? or a # anywhere in the SPEC of a provider is refused', () => {
  const provider = fc.oneof(hosted, fc.constant('openai-compatible'));
  const fault = fc.constantFrom(' ', '\u00a0', '?', '#', '?temperature=0');
  fc.assert(
    fc.property(provider, name, host, fault, fc.nat(), (who, model, url, wrong, place) => {
      const rest = who === 'openai-compatible' ? `${model}@${url}` : model;
      const at = place % (rest.length + 1);
      expect(refusalOf(`${who}:${rest.slice(0, at)}${wrong}${rest.slice(at)}`)).toBeDefined();
    }),
  );
});

test.each([
  'together:meta-llama/Llama-3.3-70B-Instruct-Turbo',
  'bedrock:us.anthropic.claude-3-5-sonnet-20241022-v2:0',
  'bedrock:arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3',
  'openai:ft:gpt-4o-2024-08-06:org::id',
  'gemini:models/gemini-2.5-pro',
  'openai-compatible:qwen2.5:7b@http://localhost:11434/v1',
  'openai-compatible:hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M@http://localhost:11434/v1',
  'openai-compatible:@cf/meta/llama-3.1-8b-instruct@https://gateway.example/v1',
  'openai-compatible:llama-3@q4_k_m@http://localhost:1234/v1',
  'openai-compatible:/models/通义千问@http://localhost:8000/v1',
  'simulated:default?latency=200ms&malformed=.05&fail=Amara%20O',
])('%s is a SPEC', (text) => {
  expect(refusalOf(text)).toBeUndefined();
});

test('what a shell would run is refused in the name of a model and in the options of a simulated one', () => {
  const provider = fc.constantFrom('openai:', 'openai-compatible:', 'simulated:', 'simulated:default?fail=');
  const fault = fc.constantFrom(...Array.from('$`"\\;|<>{}[]^\n\t\u0000'));
  fc.assert(
    fc.property(provider, name, fault, fc.nat(), (who, model, wrong, place) => {
      const at = place % (model.length + 1);
      const url = who === 'openai-compatible:' ? '@http://localhost:8000/v1' : '';
      expect(refusalOf(`${who}${model.slice(0, at)}${wrong}${model.slice(at)}${url}`)).toBeDefined();
    }),
  );
});

test('a user name or password in a URL is refused and never repeated', () => {
  const secret = fc.stringMatching(/^s3cret[\w.-]{4,20}$/);
  const place = fc.constantFrom(
    (at: string) => `http://user:${at}@localhost:8000/v1`,
    (at: string) => `https://${at}@localhost/v1`,
    (at: string) => `user:${at}@localhost:8000`,
    (at: string) => `http://localhost:8000/v1?api_key=${at}`,
    (at: string) => `localhost:8000/v1?key=${at}`,
    (at: string) => `http://localhost:8000/v1#${at}`,
  );
  const provider = fc.constantFrom('openai-compatible', 'openai', 'nobody');
  fc.assert(
    fc.property(provider, name, place, secret, (who, model, urlWith, hidden) => {
      const refusal = refusalOf(`${who}:${model}@${urlWith(hidden)}`);
      expect(refusal).toBeDefined();
      expect(refusal).not.toContain(hidden);
    }),
  );
});

test.each([
  ['openai:gpt-4o?temperature=0', 'which only simulated takes'],
  ['openai: gpt-4o', 'for example openai:NAME'],
  [
    'openai-compatible:llama@localhost:8000',
    'with http:// or https://; for example openai-compatible:llama@http://localhost:8000/v1.',
  ],
  ['openai-compatible:llama@gpu.lan:8000/v2', 'for example openai-compatible:llama@http://gpu.lan:8000/v2.'],
  ['openai-compatible:llama', 'for example openai-compatible:llama@http://localhost:8000/v1.'],
  ['openai-compatible:llama@ftp://h/v1', 'for example openai-compatible:llama@http://localhost:8000/v1.'],
  ['openai:x$(touch owned)', "a character in the model's name"],
  ['openai-compatible:@http://localhost:8000/v1', 'names no model'],
  ['module: ./mine.mjs', 'module:./my-model.mjs'],
  ['module:./a\u001b]52;c;aGk=\u0007.mjs', 'control character'],
])('%j is refused, and the message says: %s', (text, words) => {
  expect(refusalOf(text)).toContain(words);
});

function refusalOf(text: string): string | undefined {
  try {
    parseModelSpec(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
