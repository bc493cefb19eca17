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

test("a proxy's login page is named as such, and its error page as one of a program that has ended", async () => {
  await expect(readPage(200)).rejects.toThrow(ProxyError);
  await expect(readPage(200)).rejects.toThrow('A proxy answered instead of cupid (status 200).');
  await expect(readPage(502)).rejects.toThrow('cupid does not answer. Start the command again');
});

/** Reads a proxy's page in place of an answer. */
function readPage(status: number): Promise<unknown> {
  return readAnswer(new Response(LOGIN, { status, headers: { 'Content-Type': 'text/html' } }));
}
