import { MockActivityEnvironment } from '@temporalio/testing';
import { buildEvaluationActivities } from '../../../../activities';
import { createFolderStore } from '../../../../data/store/store';
import { readEvaluationFiles } from '../../../../workers/world';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createTemporaryFolder } from '../../../temporary-folder';
import { RUN, storeEvaluation } from '../../runs/evaluate/stored-evaluation';
import { openIdleWorld } from '../../workers/idle-world';

const folder = createTemporaryFolder();

test('a process leaves work on data that have changed since it read them to others', async () => {
  const store = createFolderStore(folder);
  await storeEvaluation(store, buildSmallInstances(1));
  const world = openIdleWorld(await readEvaluationFiles(store), new Set());
  const { keeping } = buildEvaluationActivities(world);
  const find = (dataState?: number) =>
    new MockActivityEnvironment().run(keeping.findTrials, {
      run: RUN,
      from: 0,
      cells: [],
      onlyStored: false,
      ...(dataState !== undefined && { dataState }),
    });
  expect(await find()).toEqual({ work: [], skipped: 0, total: 0 });
  await expect(find(2)).rejects.toMatchObject({ type: 'outdated-plan', nonRetryable: false });
});
