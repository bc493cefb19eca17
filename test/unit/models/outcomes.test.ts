import { ModelError, type ModelErrorKind } from '../../../models/errors/error';
import type { ModelAnswer } from '../../../models/model';
import { ProviderServer, type Reply } from './providers/provider-server';
import {
  openModelAt,
  PROVIDER_CASES,
  PROVIDER_NAMES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from './providers/providers';

/** What an odd response comes to: the text of an answer, or the kind of an error and the wait that the provider asked for. */
type Outcome =
  | { readonly text: string }
  | { readonly kind: ModelErrorKind; readonly retryAfterMs?: number; readonly says?: RegExp };

type Case = readonly [name: string, provider: ProviderName, reply: Reply, outcome: Outcome];

const server = ProviderServer.inEachTest();

function failing(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

async function readOutcome(provider: ProviderName): Promise<ModelAnswer | ModelError> {
  try {
    return await openModelAt(PROVIDER_CASES[provider], server.url).ask(requestOf(), UNHURRIED);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}

function everywhere(name: string, reply: (provider: ProviderName) => Reply, outcome: Outcome): Case[] {
  return PROVIDER_NAMES.map((provider) => [name, provider, reply(provider), outcome]);
}

function check(outcome: ModelAnswer | ModelError, expected: Outcome): void {
  if ('text' in expected) {
    expect(outcome).toMatchObject(expected);
    return;
  }
  const { kind, retryAfterMs, says = /./ } = expected;
  if (!(outcome instanceof ModelError)) throw new Error(`Expected ${kind}, found an answer: ${outcome.text}`);
  expect({ kind: outcome.kind, retryAfterMs: outcome.retryAfterMs }).toEqual({ kind, retryAfterMs });
  expect(outcome.message).toMatch(says);
}

const PAST = 'Wed, 21 Oct 2015 07:28:00 GMT';

const NO_WAIT: readonly Case[] = [
  ...everywhere('429 that asks for a wait of 0 s', () => failing(429, {}, { 'retry-after': '0' }), {
    kind: 'rate-limit',
  }),
  ...everywhere('503 that asks for a wait of 0 ms', () => failing(503, {}, { 'retry-after-ms': '0' }), {
    kind: 'unavailable',
  }),
  ...everywhere('429 that asks to wait until a past date', () => failing(429, {}, { 'retry-after': PAST }), {
    kind: 'rate-limit',
  }),
  ['429 with a delay of 0s', 'gemini', failing(429, delayed('0s')), { kind: 'rate-limit' }],
  ['503 with a delay of 0.000s', 'gemini', failing(503, delayed('0.000s')), { kind: 'unavailable' }],
  [
    '429 that asks for a short wait',
    'openai',
    failing(429, {}, { 'retry-after-ms': '150' }),
    { kind: 'rate-limit', retryAfterMs: 150 },
  ],
];

function delayed(retryDelay: string) {
  return { error: { code: 429, message: 'Slow down.', details: [{ retryDelay }] } };
}

describe('a provider that asks for no wait gets the normal backoff', () => {
  test.each(NO_WAIT)('%s: %s', async (_, provider, reply, outcome) => {
    server.reply = reply;
    check(await readOutcome(provider), outcome);
  });
});
