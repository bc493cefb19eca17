import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePlan } from '../../../../data/run/inputs';
import { openRunStore } from '../../../../data/store/open-store';
import { readReviewPlan } from '../../../../runs/review/folder';
import { FOLDER_FORMAT } from '../../../../schemas/run/folder-format';
import { planSmallRun } from '../../../planned-run';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const openReview = async (path: string) => readReviewPlan(path);

test('a folder without a run is opened, and so is one of a run that this version stored', async () => {
  const path = join(folder, 'current');
  const store = await openRunStore(path);
  await writePlan(store, await planSmallRun());
  expect(JSON.parse((await store.read('inputs/run.json')) ?? '')).toMatchObject({ format: FOLDER_FORMAT });
  await expect(openRunStore(path)).resolves.toHaveProperty('read');
});

test.each([
  ['a run', 'run', openRunStore, {}, '57ae28bb'],
  ['an evaluation', 'evaluation', openRunStore, { format: 3 }, '66425af8'],
  ['an evaluation', 'evaluation', openRunStore, { format: 4 }, '071463c3'],
  ['an evaluation', 'evaluation', openRunStore, { format: 5 }, 'cca7cacc'],
  ['a review', 'review', openReview, { format: 1 }, '57ae28bb'],
])(
  '%s of an unreleased version (%s, %s, %j) is refused with the commit that can finish it',
  async (_, name, open, own, commit) => {
    const path = write(name, JSON.stringify({ ...own, id: name }));
    await expect(open(path)).rejects.toThrow(
      new RegExp(
        String.raw`^${path} was made by an unreleased version of cupid \(of [\d-]{10} or before\)\. To finish or read it, use commit ${commit}: git checkout ${commit} && npm ci, then repeat its command\.$`,
      ),
    );
  },
);

test('one of a newer version says so', async () => {
  const path = write('run', JSON.stringify({ format: FOLDER_FORMAT + 1 }));
  await expect(openRunStore(path)).rejects.toThrow(
    `${path} was made by a newer version of cupid. Update cupid`,
  );
});

test.each(['', '{"id":', '[]', 'null'])('a damaged document is left to its reader: %j', async (text) => {
  await expect(openRunStore(write('run', text))).resolves.toHaveProperty('read');
});

let count = 0;

/** Writes the document with which a folder of this kind begins. Returns the folder. */
function write(name: string, text: string): string {
  const path = join(folder, `${(count += 1)}`);
  mkdirSync(join(path, '.cupid', 'inputs'), { recursive: true });
  writeFileSync(join(path, '.cupid', 'inputs', `${name}.json`), text);
  return path;
}
