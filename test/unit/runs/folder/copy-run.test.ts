import { join } from 'node:path';
import { createFolderStore } from '../../../../data/store/store';
import { listRunFiles } from '../../../../runs/folder/copy-run';
import { createTemporaryFolder } from '../../../temporary-folder';

const store = createFolderStore(join(createTemporaryFolder(), 'store'));

test("a run's files are copied with its plan last, and without what belongs to one machine", async () => {
  const own = ['inputs/run.json', 'inputs/templates.json', 'records/0000001.json'];
  for (const name of [...own, 'engine/temporal.db', 'lock', 'locks/000001', 'store.json']) {
    await store.write(name, '{}');
  }
  const names = await listRunFiles(store);
  expect(names.at(-1)).toBe('inputs/run.json');
  expect(names.toSorted()).toEqual(own);
});

test.each(['../../outside', 'records/../../../outside', '/outside', 'records//x'])(
  'an object of the name %s is refused, since it would be written outside the folder',
  async (hostile) => {
    const all = async function* () {
      yield 'inputs/run.json';
      yield hostile;
    };
    await expect(listRunFiles({ ...store, all })).rejects.toThrow(`belongs to no run: ${hostile}`);
  },
);
