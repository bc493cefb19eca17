/**
 * Lets several readers read a source once, side by side: each gets every item, and the next one is read when all have taken the last. So memory
 * holds one item. The others go on without a reader that ends early.
 * @returns opens a reader; to be called once for each
 */
export function shareItems<Item>(source: AsyncIterable<Item>, readers: number): () => AsyncGenerator<Item> {
  const items = source[Symbol.asyncIterator]();
  let reading = readers;
  let resumes: (() => void)[] = [];
  let next = items.next();
  // A reader that comes later gets the error as well.
  next.catch(() => undefined);

  const advance = () => {
    if (resumes.length < reading) return;
    next = items.next();
    next.catch(() => undefined);
    for (const goOn of resumes.splice(0)) goOn();
  };
  async function* read(): AsyncGenerator<Item> {
    try {
      for (let item = await next; item.done !== true; item = await next) {
        yield item.value;
        await new Promise<void>((goOn) => {
          resumes.push(goOn);
          advance();
        });
      }
    } finally {
      reading -= 1;
      if (reading > 0 && resumes.length > 0) advance();
    }
  }
  return read;
}
