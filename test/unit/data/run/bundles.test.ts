import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBundleName, readBundle, readRecordedCalls } from '../../../../data/run/bundles';
import { writeUnanswered } from '../../../../data/run/unanswered-calls';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';
import { FOLDER_FORMAT } from '../../../../schemas/run/folder-format';

const folder = createTemporaryFolder();

test('a bundle is named after its persona and session, and is no persona’s own note', () => {
  expect(buildBundleName({ persona: 17 })).toBe('failures/p17.bundle.json');
  expect(buildBundleName({ persona: 17, session: 3 })).toBe('failures/p17-s3.bundle.json');
});

test('a file that is not there is no bundle, and no error', async () => {
  expect(await readBundle(join(folder, 'none.json'))).toBeUndefined();
  expect(await readBundle(join(folder, 'none', 'none.json'))).toBeUndefined();
});

test.each([
  ['cut short', '{"format":1,', 'is not JSON'],
  ['a note of what failed', '[]', 'is not a failure bundle'],
  [
    'a bundle of an unreleased version',
    `{"format":${FOLDER_FORMAT - 1},"work":{}}`,
    'by an unreleased version of cupid',
  ],
  [
    'a bundle of a newer version',
    `{"format":${FOLDER_FORMAT + 1},"work":{}}`,
    'by a newer version of cupid. Update cupid',
  ],
  ['a bundle without its calls', `{"format":${FOLDER_FORMAT},"work":{}}`, 'is damaged'],
])('a file that is %s is refused by name, with what is expected', async (_, text, why) => {
  const file = join(folder, 'other.json');
  writeFileSync(file, text);
  const reading = readBundle(file);
  await expect(reading).rejects.toThrow(file);
  await expect(reading).rejects.toThrow(why);
});

test('a folder in place of a bundle is refused by name', async () => {
  await expect(readBundle(folder)).rejects.toThrow(`${folder} is a directory. Expected a regular file.`);
});

test('a bundle has the answers and why there are none; a damaged entry is missing, and named', async () => {
  const store = createFolderStore(join(folder, 'store'));
  const journal = openJournal(store);
  await journal.append({
    key: 'run/p1/s1#r0.assistant.t1.a0',
    request: '',
    settings: '',
    spec: 'simulated:default',
    answer: { text: 'good', finish: 'complete', model: 'm', usage: {} },
    ledgerCall: 'w/1',
    durationMs: 1,
  });
  writeFileSync(join(folder, 'store', 'journal', 'run%2Fp1%2Fs1', 'r0.user.t1.a0.json'), '{');
  const refused = { kind: 'refused', cause: 'Not this.' };
  await writeUnanswered(store, 'run/p1/s1#r0.user.t2.a0', refused);
  await writeUnanswered(store, 'run/p1/s1', refused);
  await writeUnanswered(store, 'run#r0.describe.t1.a0', refused);
  const lacks: string[] = [];
  const { entries, unansweredCalls } = await readRecordedCalls(
    store,
    { workflowIds: ['run/p1', 'run/p1/s1'], keys: ['run#r0.describe.t1.a0'] },
    (what) => lacks.push(what),
  );
  expect(entries).toEqual([
    expect.objectContaining({
      key: 'run/p1/s1#r0.assistant.t1.a0',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    }),
  ]);
  expect(unansweredCalls).toEqual({ 'run#r0.describe.t1.a0': refused, 'run/p1/s1#r0.user.t2.a0': refused });
  expect(lacks).toEqual([expect.stringContaining('r0.user.t1.a0.json is damaged: ')]);
});
