import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { callProvider } from '../../../models/call';
import { NOBODY } from '../../stand-in/nobody';
import {
  ALL_CASES,
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  requestOf,
  UNHURRIED,
} from './providers/providers';
import { ProviderServer, type Reply } from './providers/provider-server';

const server = ProviderServer.inEachTest();

const NEVER: Reply = () => undefined;

describe.each(ALL_CASES)('$provider', (provider) => {
  test('an abort rejects with its own reason, and ends the connection, so that the provider need not continue', async () => {
    const closed = new Promise<void>((resolve) => {
      server.reply = (response) => response.on('close', resolve);
    });
    const leaving = new AbortController();
    const reason = new Error('the worker shuts down');
    const asking = openModelAt(provider, server.url).ask(requestOf(), leaving.signal);
    await untilReceived(1);
    leaving.abort(reason);
    await expect(asking).rejects.toBe(reason);
    await closed;
  });

  test('what was aborted before is not asked', async () => {
    const reason = new Error('too late');
    await expect(openModelAt(provider, server.url).ask(requestOf(), AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
    expect(server.received).toEqual([]);
  });

  test.each<[string, string, Reply, RegExp]>([
    ['that does not answer in time', 'timeout', NEVER, /0\.2 s/],
    ['that stops in the middle of its answer', 'timeout', (response) => begin(response), /./],
    ['that cuts the connection before the answer', 'connection', (response) => response.destroy(), /./],
    [
      'that cuts the connection within the answer',
      'connection',
      (response) => begin(response, () => response.destroy()),
      /./,
    ],
    ['that is something else', 'invalid-response', { body: { hello: 'world' } }, /./],
  ])('a provider %s is an error: %s', async (_, kind, reply, message) => {
    server.reply = reply;
    // Only an answer that never comes may take too long, however busy the machine is.
    const limit = kind === 'timeout' ? { timeoutMs: 200 } : {};
    const asking = openModelAt(provider, server.url, limit).ask(requestOf(), UNHURRIED);
    const error = await catchModelError(asking);
    expect(error).toMatchObject({ kind, message: expect.stringMatching(message) });
    // The provider received the request, and may charge for it.
    if (kind === 'connection') expect(error.usage).toEqual({});
  });

  test('nobody listening is a connection that failed', async () => {
    const asking = openModelAt(provider, `http://${NOBODY}`).ask(requestOf(), UNHURRIED);
    const message = expect.stringContaining('ECONNREFUSED');
    const error = await catchModelError(asking);
    expect(error).toMatchObject({ kind: 'connection', message });
    expect(error.usage).toBeUndefined();
  });

  test('a hundred calls are in flight at once', async () => {
    const waiting: (() => void)[] = [];
    server.reply = (response) => {
      waiting.push(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(provider.answer('Hi.')));
      });
      if (waiting.length === 100) for (const answer of waiting) answer();
    };
    const model = openModelAt(provider, server.url);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => model.ask(requestOf(), new AbortController().signal)),
    );

    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 100 }, () => 'Hi.'));
  });

  const elsewhere = ProviderServer.inEachTest({ body: provider.answer('Hi.') });

  test.each([301, 302, 307, 308])(
    'a redirect (%d) is refused: no other host sees the key',
    async (status) => {
      const { url } = elsewhere;
      const location = `${url.replace('http://', 'http://me:hunter2@')}/elsewhere?key=hunter2`;
      server.reply = { status, headers: { location }, body: '' };
      const error = await catchModelError(openModelAt(provider, server.url).ask(requestOf(), UNHURRIED));

      expect(elsewhere.received).toEqual([]);
      expect(error.kind).toBe('bad-request');
      expect(error.message).toContain(
        `a redirect, which is not followed because it would send the key to ${url}/elsewhere`,
      );
      expect(error.message).not.toContain('hunter2');
    },
  );

  test.each([400, 401, 403, 404, 429, 500])(
    'a key that is echoed with status %d shows in no error',
    async (status) => {
      const message = `The key ${provider.secret} is no good here`;
      server.reply = {
        status,
        body: { message, error: { message, type: 'invalid_request_error', code: null } },
      };
      const error = await catchModelError(openModelAt(provider, server.url).ask(requestOf(), UNHURRIED));

      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(provider.secret);
      expect(error.message).toContain('The key [key] is no good here');
      expect(error.cause).toBeUndefined();
    },
  );
});

test('a key that is echoed half masked does not show either', async () => {
  const message = 'Incorrect API key provided: sk-opena**************cdef. You can find it in the settings.';
  server.reply = {
    status: 401,
    body: { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } },
  };
  const error = await catchModelError(
    openModelAt(PROVIDER_CASES.openai, server.url).ask(requestOf(), UNHURRIED),
  );

  expect(error.message).toContain('Incorrect API key provided: [key]. You can find it');
});

test('a key does not show in part where a long message is cut', async () => {
  const { secret } = PROVIDER_CASES.openai;
  for (let before = 440; before < 500; before += 7) {
    const message = `${'x '.repeat(before / 2)}${secret} and more`;
    server.reply = { status: 400, body: { error: { message, type: 'invalid_request_error', code: null } } };
    const error = await catchModelError(
      openModelAt(PROVIDER_CASES.openai, server.url).ask(requestOf(), UNHURRIED),
    );
    expect(error.message).not.toContain(secret.slice(0, 6));
  }
});

test('a placeholder for a key leaves the message readable', async () => {
  const keyed = {
    ...PROVIDER_CASES['openai-compatible'],
    environment: () => ({ OPENAI_COMPATIBLE_API_KEY: 'e' }),
  };
  server.reply = { status: 500, body: { detail: 'every engine is dead' } };
  const error = await catchModelError(openModelAt(keyed, server.url).ask(requestOf(), UNHURRIED));

  expect(error.message).toContain('every engine is dead');
});

test('an address that no waiting fixes is a bad request', async () => {
  const error = await catchModelError(
    openModelAt(PROVIDER_CASES['openai-compatible'], server.url.replace('http:', 'https:')).ask(
      requestOf(),
      UNHURRIED,
    ),
  );
  expect(error.kind).toBe('bad-request');
});

test('many calls may share a signal without a warning', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  server.reply = { body: PROVIDER_CASES.openai.answer('Hi.') };
  const model = openModelAt(PROVIDER_CASES.openai, server.url);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 12 }, () => model.ask(requestOf(), signal)));
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test('nothing of a call stays in memory as long as the signal that it shared', async () => {
  const { signal } = new AbortController();
  const caller = { spec: 'openai:gpt', keyHint: 'OPENAI_API_KEY', secrets: [] };
  const own: WeakRef<AbortSignal>[] = [];
  const ask = () =>
    callProvider(caller, signal, 60_000, (ended) => {
      own.push(new WeakRef(ended));
      return Promise.resolve();
    });
  for (let call = 0; call < 20; call += 1) await ask();
  await wait(0);
  collectGarbage();
  expect(own.filter((ended) => ended.deref() !== undefined).length).toBeLessThan(5);
  expect(signal.aborted).toBe(false);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

/** Begins an answer that is longer than what is sent of it. */
function begin(response: ServerResponse, then?: () => void): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', then);
}

async function untilReceived(count: number): Promise<void> {
  while (server.received.length < count) await new Promise((resolve) => setImmediate(resolve));
}
