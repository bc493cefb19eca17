import { providerFetch } from '../../../models/http';

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
