import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireAsWritten, readAsWritten } from '../../../../data/outputs/as-written';
import { writeOutputRecord } from '../../../../data/outputs/output-record';
import { hashText } from '../../../../data/store/files';
import { createTemporaryFolder } from '../../../temporary-folder';

const root = createTemporaryFolder();
let number = 0;

/** Makes a run folder in which a run wrote `as written` to each path. */
async function makeRun(...paths: readonly string[]): Promise<(path: string, text: string) => string> {
  const folder = join(root, `run-${(number += 1)}`);
  await writeOutputRecord(folder, Object.fromEntries(paths.map((path) => [path, [hashText('as written')]])));
  return (path, text) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
}

test.each([
  ['CUPID-Unverified/test.parquet', 'delete it and repeat the cupid synth command of RUN.'],
  ['CUPID-Raw/test.parquet', 'delete it and repeat the cupid synth command of RUN.'],
  ['provenance.parquet', 'delete it and repeat the cupid synth command of RUN.'],
  ['results.parquet', 'delete it and run: cupid eval --results-dir RUN --rescore.'],
  ['results.json', 'delete it and run: cupid eval --results-dir RUN --rescore.'],
  ['verification.parquet', 'delete it and repeat the cupid verify command of RUN.'],
  ['audit.parquet', 'delete it and repeat the cupid review command of RUN.'],
  ['CUPID/test.parquet', 'delete it and repeat the cupid review command of RUN.'],
])(
  '%s is read as its run wrote it; changed, it is named with the command that writes it again',
  async (path, remedy) => {
    const put = await makeRun(path);
    const file = put(path, 'as written');
    const folder = file.slice(0, -path.length - 1);
    await requireAsWritten({ path: file, name: file });
    expect(await readAsWritten(file, folder)).toBe('as written');
    put(path, 'as writtem.');
    for (const read of [requireAsWritten, (named: { path: string }) => readAsWritten(named.path, folder)]) {
      await expect(read({ path: file, name: file })).rejects.toThrow(
        `${file} is not what the run wrote there: its SHA-256 differs from the one in ${folder}/.cupid. If it is damaged, ${remedy.replace('RUN', folder)} If you edited it, copy it to a folder of its own and name that.`,
      );
    }
  },
);

test('a file that no run wrote has nothing to be compared with', async () => {
  const put = await makeRun('results.parquet');
  for (const path of ['other.parquet', 'deep/er/results.parquet', 'data/test.parquet']) {
    await requireAsWritten({ path: put(path, 'any'), name: path });
  }
  await requireAsWritten({ path: join(root, 'missing.parquet'), name: 'missing.parquet' });
});

test('a damaged record is named as long as it is damaged', async () => {
  const put = await makeRun('results.parquet');
  const file = put('results.parquet', 'as written');
  const record = join(dirname(file), '.cupid', 'outputs.json');
  const written = readFileSync(record, 'utf8');
  writeFileSync(record, '{');
  await expect(requireAsWritten({ path: file, name: file })).rejects.toThrow(
    '.cupid/outputs.json is damaged',
  );
  writeFileSync(record, written);
  await requireAsWritten({ path: file, name: file });
});

test('while a file is being replaced, both its contents are the run’s own', async () => {
  const put = await makeRun();
  const file = put('results.json', 'new');
  await writeOutputRecord(dirname(file), { 'results.json': [hashText('old'), hashText('new')] });
  expect(await readAsWritten(file, dirname(file))).toBe('new');
  put('results.json', 'old');
  expect(await readAsWritten(file, dirname(file))).toBe('old');
});
