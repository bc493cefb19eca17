/**
 * Lets several readers read a source once, side by side: each gets every item, and the next one is read when all have taken the last. So memory
 * holds one item. The others go on without a reader that ends early, or fails before it reads.
 * @returns runs a reader, and returns its result; to be called once for each
 */
export function shareItems<Item>(
  source: AsyncIterable<Item>,
  readers: number,
): <Result>(use: (items: AsyncGenerator<Item>) => Promise<Result>) => Promise<Result> {
  const items = source[Symbol.asyncIterator]();
  let reading = readers;
  /** Functions that give the next item to readers that have taken the last. */
  const resumes = new Map<symbol, () => void>();
  let next = items.next();
  // A reader that comes later gets the error as well.
  next.catch(() => undefined);

  const advance = () => {
    if (reading === 0 || resumes.size < reading) return;
    next = items.next();
    next.catch(() => undefined);
    const resumed = [...resumes.values()];
    resumes.clear();
    for (const goOn of resumed) goOn();
  };
  async function* read(reader: symbol): AsyncGenerator<Item> {
    for (let item = await next; item.done !== true; item = await next) {
      yield item.value;
      await new Promise<void>((goOn) => {
        resumes.set(reader, goOn);
        advance();
      });
    }
  }
  return async (use) => {
    const reader = Symbol('reader');
    try {
      return await use(read(reader));
    } finally {
      reading -= 1;
      resumes.delete(reader);
      advance();
    }
  };
}
