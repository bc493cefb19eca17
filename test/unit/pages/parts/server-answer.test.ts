import { ProxyError, readAnswer } from '../../../../pages/parts/server-answer';

const LOGIN = '<!DOCTYPE html><title>JupyterHub</title>';

test('an answer in JSON is read', async () => {
  expect(await readAnswer(Response.json({ word: 'heard' }))).toEqual({ word: 'heard' });
});

test.each([
  ['an error of the server', Response.json({ error: 'It failed.' }, { status: 500 }), 'It failed.'],
  ['a text of the server', new Response('This page needs the token.', { status: 403 }), 'needs the token'],
  ['nothing', new Response(null, { status: 431 }), 'The server answered 431.'],
])('%s becomes the error', async (_, response, message) => {
  const reading = readAnswer(response);
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.not.toBeInstanceOf(ProxyError);
});

test.each([
  ['login page', 200],
  ['error page', 502],
])("a proxy's %s is named as such", async (_, status) => {
  const reading = readAnswer(new Response(LOGIN, { status, headers: { 'Content-Type': 'text/html' } }));
  await expect(reading).rejects.toThrow(ProxyError);
  await expect(reading).rejects.toThrow(`A proxy answered instead of cupid (status ${status}).`);
});
