import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { renderCard } from '../../../data/card/render';
import { exportData } from '../../../publishing/export';
import { hashFile } from '../../../data/store/files';
import { createTemporaryFolder } from '../../temporary-folder';
import { buildCardFacts } from '../data/card/card-facts';
import { AROUND } from './edge-data';
import { runFolder } from './publishable';

const folder = createTemporaryFolder();
let data: string;
beforeAll(async () => {
  data = join(await runFolder(join(folder, 'run'), { personas: 1 }), 'CUPID-Unverified');
});

const croissantSchema = z.looseObject({
  distribution: z.tuple([
    z.object({ '@id': z.string(), contentUrl: z.string(), contentSize: z.string(), sha256: z.string() }),
  ]),
  recordSet: z.tuple([z.object({ field: z.array(z.object({ name: z.string() })) })]),
});

test('a description names the files on the Hub with their hashes, the columns, and what the card says', async () => {
  writeFileSync(join(data, 'README.md'), renderCard(buildCardFacts()));
  const croissant = await describeData('out');
  const { bytes, sha256 } = await hashFile(join(data, 'test.parquet'));
  expect(croissant.distribution[0]).toMatchObject({
    contentUrl: 'https://huggingface.co/datasets/me/my-cupid/resolve/main/test.parquet',
    contentSize: `${bytes} B`,
    sha256,
  });
  expect(croissant.recordSet[0].field.map(({ name }) => name)).toContain('prior_interactions');
  expect(croissant).toMatchObject({
    name: 'my-cupid',
    'rai:dataCollection': expect.stringContaining('A model wrote the personas'),
    'rai:dataCollectionType': ['Synthetic'],
    'rai:dataLimitations': expect.arrayContaining([expect.stringContaining('English only')]),
    'rai:dataBiases': [expect.stringContaining('biases')],
    'rai:dataUseCases': expect.arrayContaining([expect.stringContaining('canary GUID')]),
    citeAs: expect.stringMatching(/^@inproceedings\{kim2025cupid,[\s\S]*\}$/),
  });
  expect(croissant).not.toHaveProperty('rai:dataAnnotationProtocol');
});

test('the place on the Hub and a card are needed', async () => {
  const outputDir = join(folder, 'refused');
  await expect(exportData(data, { format: 'croissant', outputDir }, AROUND)).rejects.toThrow(
    /--repo OWNER\/NAME/,
  );
  rmSync(join(data, 'README.md'));
  await expect(describeData('refused')).rejects.toThrow(/has no card/);
});

async function describeData(name: string) {
  const outputDir = join(folder, name);
  await exportData(data, { format: 'croissant', outputDir, repo: 'me/my-cupid' }, AROUND);
  return croissantSchema.parse(JSON.parse(readFileSync(join(outputDir, 'croissant.json'), 'utf8')));
}
