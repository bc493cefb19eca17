import { join } from 'node:path';
import { changeOpenBatch, createBatch, readBatch, readBatchCalls } from '../../../../data/run/batches';
import { createFolderStore } from '../../../../data/store/store';
import type { BatchCall } from '../../../../schemas/run/batch';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

test('of two processes that collect a batch of the same number, the second harms nothing of the first', async () => {
  const store = createFolderStore(join(folder, 'two'));
  await createBatch(store, batchOf('first'), [callOf('run/p1#a')], ['{}']);
  const second = createBatch(store, batchOf('second'), [callOf('run/p2#a')], ['{}']);
  await expect(second).rejects.toThrow('Another process has collected batch 1');
  const batch = await readBatch(store, 1);
  expect(batch.id).toBe('first');
  expect(await readBatchCalls(store, batch)).toMatchObject([{ key: 'run/p1#a' }]);
});

test('a batch is changed as it stands, and not after its end', async () => {
  const store = createFolderStore(join(folder, 'changed'));
  await createBatch(store, batchOf('first'), [callOf('run/p1#a')], ['{}']);
  expect(await changeOpenBatch(store, 1, { cancelledBy: 'user' })).toBe(true);
  expect(await changeOpenBatch(store, 1, { answers: 1 })).toBe(true);
  expect(await readBatch(store, 1)).toMatchObject({ cancelledBy: 'user', answers: 1 });
  const end = { outcome: 'cancelled' as const, answers: 0, unansweredKeys: [] };
  await changeOpenBatch(store, 1, { end });
  expect(await changeOpenBatch(store, 1, { providerId: 'batch-1' })).toBe(false);
  expect((await readBatch(store, 1)).providerId).toBeUndefined();
});

function batchOf(id: string) {
  return {
    number: 1,
    id,
    spec: 'openai:gpt-5',
    step: 'infer',
    requests: 1,
    estimate: { input: 1, output: 1 },
  } as const;
}

function callOf(key: string): BatchCall {
  const estimate = { input: 1, output: 1 };
  return { number: 1, key, request: 'hash', settings: '{}', maxTokens: 1, temperature: 0, estimate };
}
