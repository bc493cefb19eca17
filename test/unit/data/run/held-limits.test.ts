import { readHeldLimits, writeHeldLimit } from '../../../../data/run/held-limits';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';

const store = createFolderStore(createTemporaryFolder());

test('where models are held is stored for each of them, until it no longer is', async () => {
  expect(await readHeldLimits(store)).toEqual({});
  await writeHeldLimit(store, 'openai:one', 37);
  await writeHeldLimit(store, 'openai:two', 4);
  await writeHeldLimit(store, 'openai:one', 38);
  expect(await readHeldLimits(store)).toEqual({ 'openai:one': 38, 'openai:two': 4 });
  await writeHeldLimit(store, 'openai:one', undefined);
  expect(await readHeldLimits(store)).toEqual({ 'openai:two': 4 });
});
