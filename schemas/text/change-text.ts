/** Describes a source that is not the one of before: another one, or the same with other contents. */
export function describeSourceChange(what: string, before: string, now: string, contents: string): string {
  return before === now
    ? `${what}: ${now} has other ${contents} than before`
    : `${what}: ${before} before, ${now} now, with other ${contents}`;
}
