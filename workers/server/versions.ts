/** Compares versions: below 0 if `a` is older than `b`, above 0 if it is newer. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
