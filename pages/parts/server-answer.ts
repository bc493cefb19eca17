/** A proxy answered in place of the server, for example with its login page. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

export const NO_ANSWER = 'cupid does not answer. Start the command again, and open the link that it prints.';

/**
 * Reads the server's answer to a request of the page.
 * @throws ProxyError if the answer is not the server's
 */
export async function readAnswer(response: Response): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  const isJson = type.startsWith('application/json');
  if (response.ok && isJson) return response.json();
  const text = await response.text();
  if (text === '') throw new Error(`The server answered ${response.status}.`);
  if (response.ok || !(isJson || type.startsWith('text/plain'))) {
    // Proxies answer so when the program behind them has ended.
    if (response.status >= 500) throw new Error(NO_ANSWER);
    throw new ProxyError(
      `A proxy answered instead of cupid (status ${response.status}). Your login may have expired: reload the page.`,
    );
  }
  throw new Error(readError(text));
}

function readError(text: string): string {
  try {
    const { error }: { readonly error?: string } = JSON.parse(text);
    return error ?? text;
  } catch {
    return text;
  }
}
