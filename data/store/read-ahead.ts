/**
 * Reads items and passes the results on in order, while some more are being read: one after the other is mostly waiting for the store.
 * @param atOnce number of items that are read at once
 */
export async function* readAhead<Item, Read>(
  items: Iterable<Item>,
  atOnce: number,
  read: (item: Item) => Promise<Read>,
): AsyncGenerator<Read> {
  const reading: Promise<Read>[] = [];
  for (const item of items) {
    const promise = read(item);
    // The read may fail before it is awaited, or never be awaited.
    promise.catch(() => undefined);
    reading.push(promise);
    if (reading.length < atOnce) continue;
    const first = reading.shift();
    if (first !== undefined) yield await first;
  }
  for (const promise of reading) yield await promise;
}
