/** The day, as tables and providers write it: YYYY-MM-DD. */
export function getToday(): string {
  return new Date().toISOString().slice(0, 10);
}
