/**
 * Whether an attendance is kept waiting for news. A server has no more than ten updates of one workflow in flight; one more makes it
 * forget those that it was about to hand over. So only a few wait, and where there are more of them, all come again by and by.
 */
export function waitsForNews(members: number): boolean {
  return members <= 4;
}

/** Milliseconds after which each of so many tells again, `least` in any case: where they are many, no more than ten a second do in all. */
export function comesAgainIn(members: number, least: number): number {
  return waitsForNews(members) ? least : Math.max(least, members * 100);
}
