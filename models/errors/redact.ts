/** Maximum characters of a provider's message that are quoted (some echo the prompt). */
const LONGEST_QUOTE = 500;

/** Maximum characters that are searched for secrets: a provider may send megabytes. */
const LONGEST_SEARCHED = 5_000;

/** Shorter keys (`none`, `EMPTY`, as given to local servers) are words, not secrets. */
const SHORTEST_SECRET = 6;

/** Quotes foreign text on one line, shortened, without keys and without secrets in URLs. */
export function quoteSafely(text: string, secrets: readonly string[]): string {
  const line = text.replaceAll(/\s+/g, ' ').trimEnd().slice(0, LONGEST_SEARCHED);
  const safe = redactUrls(redactKeys(line, secrets));
  return safe.length <= LONGEST_QUOTE ? safe : `${safe.slice(0, LONGEST_QUOTE)}…`;
}

/** Returns a quote as the end of a sentence, with a full stop if it has no mark. */
export function endSentence(quote: string): string {
  return /[.!?]$/.test(quote) ? quote : `${quote}.`;
}

/** Removes possible secrets from URLs: user names, passwords, queries and fragments. */
export function redactUrls(text: string): string {
  return text
    .replaceAll(/([a-z][\w+.-]{0,20}:\/\/)[^\s"'<>]*@/gi, '$1')
    .replaceAll(/([a-z][\w+.-]{0,20}:\/\/[^\s"'<>?#]*)[?#][^\s"'<>]*/gi, '$1');
}

/** Removes keys, which providers echo in full or half masked (`sk-pr**********x9Ab`). */
function redactKeys(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((redactedText, secret) => redactedText.replaceAll(secret, '[key]'), text)
    .replaceAll(/\b(sk-|tgp_|AIza|ABSK|AKIA|ASIA)[\w*-]{8,}/g, '[key]')
    .replaceAll(/[\w-]{2,}\*{4,}[\w-]*/g, '[key]');
}
