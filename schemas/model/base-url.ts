/**
 * Why a server's base URL cannot be used; undefined when it can. The reason never repeats the URL, which may hold a
 * password. A base URL is kept, shown and joined with paths, so it holds neither credentials nor a query: the SDKs would
 * append their path to the query.
 */
export function findBaseUrlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !WEB_PROTOCOLS.has(url.protocol)) return 'is not an http:// or https:// URL';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  if (/\/chat\/completions\/?$/.test(url.pathname))
    return 'ends with /chat/completions, which cupid adds itself';
  return /[?#]/.test(text) ? 'contains a query or fragment (the part from ? or # on)' : undefined;
}

const WEB_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);
