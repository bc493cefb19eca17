/**
 * The rows in parts, each of which takes at most this many bytes, unless a single row takes more; without rows, one empty part. A part
 * must be read to its end before the next one begins.
 */
export async function* splitIntoShards<Row>(
  rows: AsyncIterable<Row>,
  mostBytes: number,
): AsyncGenerator<AsyncGenerator<Row>> {
  const iterator = rows[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    do yield shard();
    while (next.done !== true);

    async function* shard(): AsyncGenerator<Row> {
      let bytes = 0;
      for (let isFirst = true; next.done !== true; isFirst = false) {
        bytes += estimateBytes(next.value);
        if (!isFirst && bytes > mostBytes) return;
        yield next.value;
        next = await iterator.next();
      }
    }
  } finally {
    await iterator.return?.();
  }
}

/** What a value's texts take, and numbers eight bytes: about what a table holds of it. */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).reduce((sum: number, part: unknown) => sum + estimateBytes(part), 0);
  }
  return 8;
}
