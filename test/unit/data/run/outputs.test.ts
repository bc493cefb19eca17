import { existsSync } from 'node:fs';
import { rm, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLicense } from '../../../../data/card/edit';
import { renderCard } from '../../../../data/card/render';
import { placeRunOutputs, DATASETS, writeDataSetHashes } from '../../../../data/run/outputs';
import { hashText } from '../../../../data/store/files';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildCardFacts } from '../card/card-facts';

const folder = createTemporaryFolder();
const store = createFolderStore(join(folder, '.cupid'));
const run = { path: folder, store, scratch: join(folder, '.cupid', 'scratch') };
const output = (path: string) => join(folder, path);
const CARD = 'CUPID-Unverified/README.md';

beforeEach(() => build(buildCardFacts().statistics.personas));

test('a card of the run keeps the license it was given when the data sets are built again', async () => {
  await placeRunOutputs(run);
  const licensed = withLicense(await readFile(output(CARD), 'utf8'), 'odc-by');
  await writeFile(output(CARD), licensed);
  await build(77);
  expect(await placeRunOutputs(run)).toMatchObject({
    writtenFiles: [CARD, 'CUPID-Raw/README.md'],
    withheldFiles: [],
  });
  const card = await readFile(output(CARD), 'utf8');
  expect(card).toContain('\nlicense: odc-by\n');
  expect(card).toContain('77');
});

test('a stored data set with a changed bit is never placed, and is named with what builds it again', async () => {
  const stored = join(folder, '.cupid', DATASETS.provenance);
  await build(77);
  await placeRunOutputs(run);
  const bytes = await readFile(stored);
  bytes[3] = (bytes[3] ?? 0) ^ 1;
  await writeFile(stored, bytes);
  await rm(output('provenance.parquet'));
  await expect(placeRunOutputs(run)).rejects.toThrow(
    /provenance\.parquet is damaged: its content does not match its SHA-256\. Repeat the cupid synth command/,
  );
  expect(existsSync(output('provenance.parquet'))).toBe(false);
  await build(77);
  expect(await placeRunOutputs(run)).toMatchObject({ writtenFiles: ['provenance.parquet'] });
});

test('a data set that the store lacks is named, with what builds it again', async () => {
  await rm(join(folder, '.cupid', 'datasets', 'CUPID-Raw'), { recursive: true });
  await expect(placeRunOutputs(run)).rejects.toThrow(
    /\.cupid\/datasets is incomplete.*Repeat the cupid synth command of this run/,
  );
});

/** Writes data sets into the store, with cards of this many personas. */
async function build(personas: number): Promise<void> {
  const facts = buildCardFacts();
  const text = renderCard({ ...facts, statistics: { ...facts.statistics, personas } });
  const hashes: Record<string, string> = {};
  for (const [name, file] of Object.entries(DATASETS)) {
    const content = file.endsWith('README.md') ? text : `the run's ${name}`;
    await store.write(file, content);
    hashes[file] = hashText(content);
  }
  await writeDataSetHashes(store, hashes);
}
