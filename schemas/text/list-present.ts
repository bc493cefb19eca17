/** Returns the items that are present; `condition && item` leaves an item out if the condition is false. */
export function listPresent<T>(...items: readonly (T | false | undefined)[]): T[] {
  return items.filter((item): item is T => item !== false && item !== undefined);
}
