/** Returns the most frequent value, the first one among equals, or undefined when there is none. */
export function findMostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let mostCommon: Value | undefined;
  let count = 0;
  for (const [value, times] of counts) {
    if (times <= count) continue;
    mostCommon = value;
    count = times;
  }
  return mostCommon;
}
