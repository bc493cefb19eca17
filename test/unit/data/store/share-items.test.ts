import { once } from 'node:events';
import { shareItems } from '../../../../data/store/share-items';

async function* count(most: number, read: number[]) {
  for (let item = 1; item <= most; item += 1) {
    read.push(item);
    yield item;
  }
}

async function* failing() {
  yield 1;
  throw new Error('It is damaged.');
}

async function readAll(items: AsyncIterable<number>, last = Infinity): Promise<number[]> {
  const all: number[] = [];
  for await (const item of items) {
    all.push(item);
    if (item >= last) break;
  }
  return all;
}

test('each reader gets every item, and the source is read once and no further than needed', async () => {
  const read: number[] = [];
  const share = shareItems(count(4, read), 2);
  const slow = new AbortController();
  const fastItems = share((items) => readAll(items));
  const slowItems = share(async (items) => {
    const all: number[] = [];
    for await (const item of items) {
      if (item === 1) await once(slow.signal, 'abort');
      all.push(item);
    }
    return all;
  });
  await new Promise(setImmediate);
  expect(read).toEqual([1]);
  slow.abort();
  expect(await fastItems).toEqual([1, 2, 3, 4]);
  expect(await slowItems).toEqual([1, 2, 3, 4]);
  expect(read).toEqual([1, 2, 3, 4]);
});

test('the others go on without a reader that ends', async () => {
  const share = shareItems(count(5, []), 3);
  const read = await Promise.all(
    [Infinity, 2, Infinity].map((last) => share((items) => readAll(items, last))),
  );
  expect(read).toEqual([
    [1, 2, 3, 4, 5],
    [1, 2],
    [1, 2, 3, 4, 5],
  ]);
});

test('the others go on without a reader that fails before it reads, or while it waits for an item', async () => {
  const share = shareItems(count(5, []), 4);
  const read = await Promise.allSettled([
    share((items) => readAll(items)),
    share(() => Promise.reject(new Error('No file could be opened.'))),
    share(async (items) => {
      await items.next();
      void items.next();
      await new Promise(setImmediate);
      throw new Error('The disk is full.');
    }),
    share((items) => readAll(items)),
  ]);
  expect(read).toMatchObject([
    { value: [1, 2, 3, 4, 5] },
    { reason: { message: 'No file could be opened.' } },
    { reason: { message: 'The disk is full.' } },
    { value: [1, 2, 3, 4, 5] },
  ]);
});

test('every reader gets the error of the source', async () => {
  const share = shareItems(failing(), 2);
  const read = await Promise.allSettled([1, 2].map(() => share((items) => readAll(items))));
  expect(read.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
