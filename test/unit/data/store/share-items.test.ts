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
  const open = shareItems(count(4, read), 2);
  const [fast, slow] = [open(), open()];
  expect(await fast.next()).toMatchObject({ value: 1 });
  const second = fast.next();
  await new Promise(setImmediate);
  expect(read).toEqual([1]);
  expect(await slow.next()).toMatchObject({ value: 1 });
  const rest = readAll(slow);
  expect(await second).toMatchObject({ value: 2 });
  expect(await readAll(fast)).toEqual([3, 4]);
  expect(await rest).toEqual([2, 3, 4]);
  expect(read).toEqual([1, 2, 3, 4]);
});

test('the others go on without a reader that ends', async () => {
  const open = shareItems(count(5, []), 3);
  const read = await Promise.all([Infinity, 2, Infinity].map((last) => readAll(open(), last)));
  expect(read).toEqual([
    [1, 2, 3, 4, 5],
    [1, 2],
    [1, 2, 3, 4, 5],
  ]);
});

test('every reader gets the error of the source', async () => {
  const open = shareItems(failing(), 2);
  const read = await Promise.allSettled([readAll(open()), readAll(open())]);
  expect(read.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
