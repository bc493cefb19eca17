/** Describes a source that is not the one of before: another one, or the same with other contents. */
export function describeSourceChange(
  sourceName: string,
  before: string,
  now: string,
  contents: string,
): string {
  return before === now
    ? `${sourceName}: ${now} has other ${contents} than before`
    : `${sourceName}: ${before} before, ${now} now, with other ${contents}`;
}
