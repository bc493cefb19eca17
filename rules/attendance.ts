/**
 * Whether an attendance is kept waiting for news. A server has no more than ten updates of one workflow in flight; one more makes it
 * forget those that it was about to hand over. So only a few wait, and where there are more of them, all come again by and by.
 */
export function waitsForNews(members: number): boolean {
  return members <= 4;
}

/**
 * Milliseconds after which each of so many tells again; 0 where it is kept waiting for news. Where they are many, no more than ten a
 * second do in all.
 * @param pressing how often it tells where what it tells changes what may be done
 */
export function comesAgainIn(members: number, pressing?: number): number {
  if (waitsForNews(members)) return pressing ?? 0;
  return Math.max(pressing ?? 5_000, members * 100);
}
