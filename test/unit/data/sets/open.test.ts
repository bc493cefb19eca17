import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderCard } from '../../../../data/card/render';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS } from '../../../../data/tables/columns';
import type { DataSet } from '../../../../data/sets/data-set';
import { openData } from '../../../../data/sets/open';
import { readInstances } from '../../../../data/sets/read';
import { writeArrow } from '../../../../data/tables/arrow';
import { writeParquet } from '../../../../data/tables/parquet';
import { buildProvenanceRow } from '../tables/rows';
import { buildCardFacts } from '../card/card-facts';
import { collect, buildInstances, renderLines } from './instances';
import { createEmptiedFolder } from '../../../temporary-folder';

const folder = createEmptiedFolder();

function open(given: string): Promise<DataSet> {
  return openData(given, {
    report: (line) => {
      throw new Error(`Nothing should be told: ${line}`);
    },
    // No server listens there: data on disk must not be requested from the Hub.
    environment: { HF_ENDPOINT: 'http://127.0.0.1:1', HF_HOME: join(folder, 'hub') },
  });
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

test('a file is reported by its path, size and hash', async () => {
  const file = join(folder, 'rows.jsonl');
  const content = renderLines(buildInstances(2));
  await writeFile(file, content);
  expect(await open(file)).toEqual({
    argument: file,
    source: file,
    files: [{ path: file, name: file, sha256: sha256(content), bytes: Buffer.byteLength(content) }],
    sha256: sha256(content),
    simulated: undefined,
  });
});

test('of several files the hash is over theirs, in order, and the source is the folder', async () => {
  await writeFile(join(folder, 'test-00000-of-00002.jsonl'), 'a');
  await writeFile(join(folder, 'test-00001-of-00002.jsonl'), 'b');
  const dataSet = await open(folder);
  expect(dataSet.source).toBe(folder);
  expect(dataSet.files.map(({ path }) => path)).toEqual([
    join(folder, 'test-00000-of-00002.jsonl'),
    join(folder, 'test-00001-of-00002.jsonl'),
  ]);
  expect(dataSet.sha256).toBe(sha256(`${sha256('a')}\n${sha256('b')}\n`));
});

async function writeRun(simulated: boolean): Promise<string> {
  const run = join(folder, 'run');
  await writeParquet(join(run, 'CUPID-Unverified', 'test.parquet'), INSTANCE_COLUMNS, buildInstances(2));
  await writeParquet(join(run, 'provenance.parquet'), PROVENANCE_COLUMNS, [
    { ...buildProvenanceRow(0), simulated: false },
    { ...buildProvenanceRow(1), simulated },
  ]);
  return run;
}

describe("a run's folder", () => {
  test.each([true, false])(
    'and its data set have the provenance beside them (simulated: %s)',
    async (simulated) => {
      const run = await writeRun(simulated);
      const file = join(run, 'CUPID-Unverified', 'test.parquet');
      for (const given of [run, join(run, 'CUPID-Unverified'), file]) {
        const dataSet = await open(given);
        expect(dataSet).toMatchObject({
          argument: given,
          source: file,
          provenance: join(run, 'provenance.parquet'),
          simulated,
        });
        expect(await collect(readInstances(dataSet))).toEqual(buildInstances(2));
      }
    },
  );

  test('that is not finished contains no data set', async () => {
    await writeFile(join(folder, 'run.json'), '{}');
    await mkdir(join(folder, '.cupid'));
    await writeFile(join(folder, '.cupid', 'test.parquet'), '');
    await expect(open(folder)).rejects.toThrow(
      /contains no data set: .* only run\.json\. .* a run that cupid synth has finished\./,
    );
  });
});

describe("folders of others'", () => {
  test('a JSON list named test.json is the data set, further below too when the folder is named', async () => {
    await mkdir(join(folder, 'data', 'CUPID'), { recursive: true });
    await writeFile(join(folder, 'data', 'CUPID', 'test.json'), JSON.stringify(buildInstances(2), null, 4));
    await expect(open(folder)).rejects.toThrow(
      `${folder} contains no data set: its files lie deeper. Name their folder, such as ${join(folder, 'data', 'CUPID')}.`,
    );
    const dataSet = await open(join(folder, 'data', 'CUPID'));
    expect(await collect(readInstances(dataSet))).toEqual(buildInstances(2));
  });

  test("the reference program's output has to be imported", async () => {
    await mkdir(join(folder, 'instances'));
    await writeFile(join(folder, 'instances', '1+baker+consistent.json'), '{}');
    await expect(open(folder)).rejects.toThrow('cupid import FOLDER --output-dir DIR');
  });
});

describe('whether the data are simulated', () => {
  const card = renderCard(buildCardFacts({ simulated: true }));

  test.each<[string, string | undefined, true | undefined]>([
    ["this program's card that says so", card, true],
    ['its tag alone', card.replace('**Simulated data:', '**Data:'), true],
    ['its sentence alone', card.replace(/^ *- simulated\n/m, ''), true],
    ["this program's card that does not", renderCard(buildCardFacts()), undefined],
    ["another's card", '# Data', undefined],
    ['no card', undefined, undefined],
  ])('is reported by %s', async (_what, text, simulated) => {
    const file = join(folder, 'test.parquet');
    await writeParquet(file, INSTANCE_COLUMNS, buildInstances(1));
    if (text !== undefined) await writeFile(join(folder, 'README.md'), text);
    expect((await open(folder)).simulated).toBe(simulated);
    expect((await open(file)).simulated).toBe(simulated);
  });

  test.each([
    ['copied.parquet', writeParquet],
    ['copied.arrow', writeArrow],
  ])('is reported by %s alone, as is the canary, wherever it was copied to', async (name, write) => {
    const marks = { simulated: true, canary: '0f1e2d3c-4b5a-8697-8877-665544332211' };
    const file = join(folder, name);
    await write(file, INSTANCE_COLUMNS, buildInstances(1), marks);
    expect(await open(file)).toMatchObject(marks);
    await write(file, INSTANCE_COLUMNS, buildInstances(1), {});
    expect(await open(file)).toMatchObject({ simulated: undefined, canary: undefined });
  });

  test('a broken provenance is reported, not passed over', async () => {
    await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, buildInstances(1));
    await writeFile(join(folder, 'provenance.parquet'), 'PAR1');
    await expect(open(folder)).rejects.toThrow(
      /provenance\.parquet begins as Parquet but is damaged or cut off/,
    );
  });
});

describe('a provenance.parquet with columns of its own', () => {
  const marks = { canary: '0f1e2d3c-4b5a-8697-8877-665544332211' };

  test("is ignored beside others' data, and reported", async () => {
    const lines: string[] = [];
    await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, buildInstances(1));
    await writeParquet(join(folder, 'provenance.parquet'), INSTANCE_COLUMNS, buildInstances(1));
    const options = { report: (line: string) => void lines.push(line), environment: {} };
    expect(await openData(folder, options)).not.toHaveProperty('provenance');
    expect(lines).toEqual([
      `${join(folder, 'provenance.parquet')} does not have the columns of a provenance that cupid writes. It is ignored.`,
    ]);
  });

  test('is an error beside data with a mark of ours', async () => {
    await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, buildInstances(1), marks);
    await writeParquet(join(folder, 'provenance.parquet'), INSTANCE_COLUMNS, buildInstances(1));
    await expect(open(folder)).rejects.toThrow(
      /provenance\.parquet has no columns synthesis_model, simulated/,
    );
  });
});

describe('what cannot be opened says why', () => {
  test.each([
    'nowhere.parquet',
    './nowhere',
    '/nowhere/at/all',
    '~/nowhere',
    'nowhere',
    'a/b/c',
    'C:\\data',
    'owner/',
    '../x/y',
    'owner/name@../../x',
    '',
  ])('%p looks like a path, so that the Hub is not asked', async (given) => {
    await expect(open(given)).rejects.toThrow(
      /^(.+ does not exist|The data set has an empty name)\. Name a file \(\.parquet, .*\), a folder, or a data set of the Hub as OWNER\/NAME or OWNER\/NAME@REVISION\.$/,
    );
  });

  test.each(['rows.csv', 'rows'])('%s is in no form that can be read', async (name) => {
    await writeFile(join(folder, name), '[]');
    await expect(open(join(folder, name))).rejects.toThrow(
      /rows.* cannot be read: its name does not end in \.parquet, /,
    );
  });

  test('what is neither file nor folder', async () => {
    await expect(open('/dev/null')).rejects.toThrow('/dev/null is a device. Expected a regular file.');
  });

  test('a link into nowhere', async () => {
    await symlink('gone.parquet', join(folder, 'test.parquet'));
    await expect(open(folder)).rejects.toThrow(/test\.parquet is a symbolic link\. Expected a regular file/);
  });
});

test('what exists on disk goes before the Hub, even when it is named as there', async () => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    await mkdir('owner/name@main', { recursive: true });
    await writeFile('owner/name@main/test.jsonl', renderLines(buildInstances(1)));
    expect((await open('owner/name@main')).source).toBe('owner/name@main/test.jsonl');
  } finally {
    process.chdir(before);
  }
});
