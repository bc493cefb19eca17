import { createKnowledge } from '../../../../models/adapting-model';
import { openModel } from '../../../../models/open';
import { parseModelSpec } from '../../../../schemas/model/model-spec';
import type { ModelFacts } from '../../../../schemas/model/model-table';
import { ProviderServer } from './provider-server';
import { PROVIDER_CASES, requestOf, UNHURRIED, type ProviderName } from './providers';

const server = ProviderServer.inEachTest();

async function sentTo(name: ProviderName, facts: ModelFacts, sending: object): Promise<unknown> {
  const { answer, environment, spec } = PROVIDER_CASES[name];
  server.reply = { body: answer('Hi.') };
  const knowledge = createKnowledge(facts);
  const model = await openModel(parseModelSpec(spec(server.url)), environment(server.url), { knowledge });
  await model.ask(requestOf({ reasoningEffort: 'low' }), UNHURRIED, sending);
  return server.request.body;
}

test.each<[ProviderName, object]>([
  ['openai', { service_tier: 'flex', reasoning_effort: 'low' }],
  ['openai-compatible', { service_tier: 'flex', reasoning_effort: 'low' }],
  ['gemini', { serviceTier: 'flex', generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }],
  ['bedrock', { serviceTier: { type: 'flex' }, outputConfig: { effort: 'low' } }],
])('%s is asked for the tier and the effort in its own words', async (name, body) => {
  expect(await sentTo(name, {}, { tier: 'flex' })).toMatchObject(body);
});

test('anthropic is asked for an effort; it has no cheaper tier', async () => {
  expect(await sentTo('anthropic', {}, {})).toMatchObject({ output_config: { effort: 'low' } });
});

describe('the ends of prefixes that other calls share', () => {
  const cache = { key: 'a dialogue', ends: [{ message: 'system', characters: 3 }, { message: 0 }] };

  test('are not marked for a model that finds them by itself, which learns only which calls belong together', async () => {
    const body = await sentTo('openai', { caching: { kind: 'automatic' } }, { cache });
    expect(body).toMatchObject({
      prompt_cache_key: 'a dialogue',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hello?' },
      ],
    });
    expect(body).not.toHaveProperty('prompt_cache_options');
  });

  const MARK = { prompt_cache_breakpoint: { mode: 'explicit' } };

  test('are breakpoints where OpenAI charges for writing', async () => {
    expect(await sentTo('openai', { caching: { kind: 'breakpoints' } }, { cache })).toMatchObject({
      prompt_cache_key: 'a dialogue',
      prompt_cache_options: { mode: 'explicit' },
      messages: [
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be ', ...MARK },
            { type: 'text', text: 'brief.' },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Hello?', ...MARK }] },
      ],
    });
  });

  test('a call without any writes nothing there', async () => {
    const body = await sentTo('openai', { caching: { kind: 'breakpoints' } }, {});
    expect(body).toMatchObject({ prompt_cache_options: { mode: 'explicit' } });
    expect(JSON.stringify(body)).not.toMatch(/breakpoint|cache_key/);
  });

  const EPHEMERAL = { cache_control: { type: 'ephemeral' } };

  test('are marks for Anthropic', async () => {
    expect(await sentTo('anthropic', { caching: { kind: 'marked' } }, { cache })).toMatchObject({
      system: [
        { type: 'text', text: 'Be ', ...EPHEMERAL },
        { type: 'text', text: 'brief.' },
      ],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?', ...EPHEMERAL }] }],
    });
  });

  const POINT = { cachePoint: { type: 'default' } };

  test('are cache points for the models of Bedrock that take them, and nothing for the others', async () => {
    expect(await sentTo('bedrock', { caching: { kind: 'marked' } }, { cache })).toMatchObject({
      system: [{ text: 'Be ' }, POINT, { text: 'brief.' }],
      messages: [{ role: 'user', content: [{ text: 'Hello?' }, POINT] }],
    });
  });

  test('are left out for a model of Bedrock whose caching is unknown', async () => {
    expect(JSON.stringify(await sentTo('bedrock', {}, { cache }))).not.toContain('cachePoint');
  });
});
