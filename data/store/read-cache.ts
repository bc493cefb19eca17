import { LRUCache } from 'lru-cache';

/** Creates a function that reads, and keeps in memory what was read last. A read that fails is not kept. @param max number of contents that are kept */
export function createReadCache<Key extends string | number, Content>(
  max: number,
  read: (key: Key) => Promise<Content>,
): (key: Key) => Promise<Content> {
  const cache = new LRUCache<Key, Promise<Content>>({ max });
  return (key) => {
    const reading = cache.get(key) ?? read(key);
    cache.set(key, reading);
    reading.catch(() => cache.delete(key));
    return reading;
  };
}
