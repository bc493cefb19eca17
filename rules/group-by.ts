/** Groups the items by key; groups and items keep the order of their first occurrence. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Lists every two items, the earlier one first. */
export function listPairs<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((first, place) =>
    items.slice(place + 1).map((second): [Item, Item] => [first, second]),
  );
}
