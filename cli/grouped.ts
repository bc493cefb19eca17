/** The entries by their key, groups and entries in the order they first came. */
export function grouped<Entry, Key>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => Key,
): [Key, Entry[]][] {
  const groups = new Map<Key, Entry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups];
}
