import { join } from 'node:path';
import { createBatch } from '../../../../data/run/batches';
import { createFolderStore } from '../../../../data/store/store';
import { refuseOpenBatches } from '../../../../runs/drive/drive-batches';
import { createTemporaryFolder } from '../../../temporary-folder';

const path = createTemporaryFolder();

test('the error about an open batch names the command that cancels it', async () => {
  const store = createFolderStore(join(path, '.cupid'));
  await expect(refuseOpenBatches({ store, path })).resolves.toBeUndefined();
  const estimate = { input: 1, output: 1 };
  const batch = { number: 1, id: 'a', spec: 'openai:gpt-5', step: 'infer', requests: 1, estimate } as const;
  await createBatch(store, batch, [], []);
  await expect(refuseOpenBatches({ store, path })).rejects.toThrow(
    `1 batch with 1 request of this run is still open. Add --batch to continue with it, or cancel it first: cupid cancel ${path}`,
  );
});
