/** Below 0 when version `a` is older than `b`, above 0 when it is newer. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
