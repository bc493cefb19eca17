import { readAdaptiveLimits, writeAdaptiveLimit } from '../../../../data/run/adaptive-limits';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';

const store = createFolderStore(createTemporaryFolder());

test('where models are held is stored for each of them, until it no longer is', async () => {
  expect(await readAdaptiveLimits(store)).toEqual({});
  await writeAdaptiveLimit(store, 'openai:one', 37);
  await writeAdaptiveLimit(store, 'openai:two', 4);
  await writeAdaptiveLimit(store, 'openai:one', 38);
  expect(await readAdaptiveLimits(store)).toEqual({ 'openai:one': 38, 'openai:two': 4 });
  await writeAdaptiveLimit(store, 'openai:one', undefined);
  expect(await readAdaptiveLimits(store)).toEqual({ 'openai:two': 4 });
});
