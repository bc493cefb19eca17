import { NOBODY } from '../../stand-in/nobody';
import { wireFailureOf } from '../../../models/call';
import { modelErrorOf } from '../../../models/failure';
import { networkFailure, providerFetch } from '../../../models/http';

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

afterEach(() => {
  Reflect.deleteProperty(globalThis, GLOBAL_DISPATCHER);
});

test('an answer may take longer than the five minutes after which fetch gives up by itself', async () => {
  const asked: object[] = [];
  Reflect.set(globalThis, GLOBAL_DISPATCHER, {
    dispatch(options: object, handler: { onError(error: Error): void }) {
      asked.push(options);
      handler.onError(new Error('recorded'));
      return true;
    },
  });

  await expect(providerFetch('http://localhost/v1')).rejects.toMatchObject({ name: 'WireFailure' });
  expect(asked).toEqual([expect.objectContaining({ headersTimeout: 0, bodyTimeout: 0 })]);
});

test.each([
  `http://me:hunter2@${NOBODY}/v1`,
  `http://${NOBODY}/v1?key=hunter2`,
  `socks5://me:hunter2@${NOBODY}/v1#hunter2`,
])('no failure repeats the secrets of %s', async (url) => {
  const caller = { spec: 'openai:gpt-4o', keyHint: 'OPENAI_API_KEY', secrets: [] };
  const failures = [
    await providerFetch(url).catch((error: unknown) => wireFailureOf(error)),
    networkFailure(new TypeError('fetch failed', { cause: new Error(`cannot reach ${url}, refused`) })),
  ];
  for (const failure of failures) {
    if (failure === undefined || failure instanceof Response) throw new Error('Expected a failure.');
    expect(modelErrorOf(caller, failure).message).not.toContain('hunter2');
  }
});
