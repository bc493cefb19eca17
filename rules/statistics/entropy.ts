/**
 * Shannon's entropy of the types that were counted, divided by that of equally frequent ones: 1 where all types of the vocabulary come
 * equally often, 0 where one comes alone. Types outside of the vocabulary can make no more than 1 of it.
 */
export function computeNormalizedEntropy(counts: ReadonlyMap<string, number>, vocabulary: number): number {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (all === 0) return 0;
  const entropy = [...counts.values()].reduce((sum, count) => sum - (count / all) * Math.log(count / all), 0);
  return Math.min(1, entropy / Math.log(vocabulary));
}
