import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLicense } from '../../../data/card/edit';
import { renderCard } from '../../../data/card/render';
import { bringOutputs, DATASETS, mendOutputs } from '../../../data/outputs';
import { folderStore } from '../../../data/store';
import { cardFacts } from './card-facts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupid-outputs-'));
  for (const [name, file] of Object.entries(DATASETS)) {
    await store().write(file, file.endsWith('README.md') ? renderCard(cardFacts()) : `the run's ${name}`);
  }
  await bringOutputs(store(), folder);
});
afterEach(() => rm(folder, { recursive: true }));

const store = () => folderStore(join(folder, '.cupid'));
const output = (path: string) => join(folder, path);
const CARD = 'CUPID-Unverified/README.md';

test('what a finished run has lost of its outputs is brought again; what was changed is told, and left as it is', async () => {
  await rm(output('CUPID-Raw/test.parquet'));
  await rm(output(CARD));
  await writeFile(output('provenance.parquet'), 'changed by hand');
  expect(await mendOutputs(store(), folder, join(folder, 'scratch'))).toEqual({
    brought: [CARD, 'CUPID-Raw/test.parquet'],
    changed: ['provenance.parquet'],
  });
  expect(await readFile(output('CUPID-Raw/test.parquet'), 'utf8')).toBe("the run's raw");
  expect(await readFile(output('provenance.parquet'), 'utf8')).toBe('changed by hand');
});

test('a card that was changed by hand is nothing to be told of', async () => {
  await appendFile(output(CARD), '\nA note.\n');
  expect(await mendOutputs(store(), folder, join(folder, 'scratch'))).toEqual({ brought: [], changed: [] });
  expect(await readFile(output(CARD), 'utf8')).toContain('A note.');
});

test.each(['odc-by', 'other'])(
  'a card that is written anew keeps the licence %s it was given',
  async (license) => {
    const named = (await readFile(output(CARD), 'utf8')).replace(
      /^license: .*$/m,
      'license: other\nlicense_name: ours\nlicense_link: LICENSE',
    );
    await writeFile(output(CARD), license === 'other' ? named : withLicense(named, license));
    await bringOutputs(store(), folder);
    const card = await readFile(output(CARD), 'utf8');
    expect(card).toContain(`\nlicense: ${license}\n`);
    expect(card).toContain('license_name: ours\n');
    expect(card.split('\n').filter((line) => line.startsWith('This data set is under'))).toEqual([
      expect.stringContaining(license === 'other' ? 'a licence of its own' : license),
    ]);
  },
);
