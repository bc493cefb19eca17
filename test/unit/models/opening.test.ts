import { OPENED_PROVIDERS, OPENING_MESSAGE } from '../../../models/opening';
import {
  ASSISTANT_FIRST,
  openModelAt,
  PROVIDER_CASES,
  PROVIDER_NAMES,
  requestOf,
  UNHURRIED,
} from './providers/providers';
import { ProviderServer } from './providers/provider-server';

const server = ProviderServer.inEachTest();

test.each(PROVIDER_NAMES)(
  '%s gets the opening exactly when it is named as one that needs it',
  async (name) => {
    server.reply = { body: PROVIDER_CASES[name].answer('Hi.') };
    await openModelAt(PROVIDER_CASES[name], server.url).ask(ASSISTANT_FIRST, UNHURRIED);

    expect(JSON.stringify(server.request.body).includes(OPENING_MESSAGE.content)).toBe(
      OPENED_PROVIDERS.has(name),
    );
  },
);

test.each(PROVIDER_NAMES)('%s gets no opening where the user begins', async (name) => {
  server.reply = { body: PROVIDER_CASES[name].answer('Hi.') };
  await openModelAt(PROVIDER_CASES[name], server.url).ask(requestOf(), UNHURRIED);

  expect(JSON.stringify(server.request.body)).not.toContain(OPENING_MESSAGE.content);
});
