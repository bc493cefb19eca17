/** Maps the values of an object. The type of the result keeps the keys, unlike that of `Object.fromEntries`. */
export function mapValues<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  map: (value: From, key: Key) => To,
): Record<Key, To>;
export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
