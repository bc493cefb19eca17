/** Returns the items that there are: a condition that does not hold leaves its item out. */
export function listPresent<T>(...items: readonly (T | false | undefined)[]): T[] {
  return items.filter((item): item is T => item !== false && item !== undefined);
}
