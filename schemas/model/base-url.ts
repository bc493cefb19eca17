/**
 * Explains why a server's base URL cannot be used; undefined if it can. The reason never repeats the URL, which may contain a password. Base URLs
 * are stored, shown and joined with paths. So they may contain neither credentials nor a query, to which the SDKs would append their path.
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
