import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS } from '../../../data/tables/columns';
import { readCard } from '../../../data/card/read';
import { MANIFEST } from '../../../data/marks/marks';
import { DataError } from '../../../data/store/data-error';
import { openData } from '../../../data/sets/open';
import { getSplit } from '../../../data/sets/persona-split';
import { readInstances, readRecords } from '../../../data/sets/read';
import { writeJsonLines } from '../../../data/tables/json-lines';
import { writeParquet } from '../../../data/tables/parquet';
import { exportData } from '../../../publishing/export';
import { splitIntoShards } from '../../../publishing/export/tables';
import { exportReportSchema } from '../../../schemas/dataset/export';
import type { Instance } from '../../../schemas/dataset/instance';
import { getPart, needing } from '../../parts/needing';
import { OLD_VERSIONS } from '../../parts/readers';
import { readFolders, readWithAllReaders } from '../../readers/readers';
import { collect, stream } from '../../unit/data/sets/instances';
import { buildProvenanceRow, buildNumbered } from '../../unit/data/tables/rows';
import {
  AROUND,
  convertToTable,
  buildEdgeInstances,
  buildEdgeRecords,
  writeRun,
} from '../../unit/publishing/edge-data';
import { CANARY } from '../../unit/publishing/sound-data';
import { createTemporaryFolder } from '../../temporary-folder';

const manifestSchema = z.object({
  canary: z.string(),
  files: z.array(z.object({ path: z.string() }).loose()),
});

const withReaders = needing('readers');
const withPython = needing('python');
const withOldReaders = needing('readers', 'old-readers');

/** As others may hand rows over: anything may be missing. */
type Loose<Value> = Value extends readonly (infer Element)[]
  ? Loose<Element>[]
  : Value extends object
    ? { [Name in keyof Value]?: Loose<Value[Name]> }
    : Value;

const folder = createTemporaryFolder();
let run: string;
// More rows than a batch has.
const records = buildEdgeRecords(40);
const instances = buildEdgeInstances(40);

beforeAll(async () => {
  run = await writeRun(join(folder, 'run'), records);
});

let number = 0;
const newFolder = () => join(folder, `out-${(number += 1)}`);
const unverified = () => join(run, 'CUPID-Unverified');

const SMALL_SHARDS = { ...AROUND, shardBytes: 60_000 };

describe.each(['parquet', 'arrow', 'jsonl', 'json'] as const)('as %s', (format) => {
  test('instances are opened again as the rows that they were, by the card that was the data set’s', async () => {
    const out = newFolder();
    const report = await exportData(unverified(), { format, outputDir: out }, AROUND);
    expect(exportReportSchema.parse(report)).toEqual(report);
    expect(report).toMatchObject({ format, folder: out, instances: 120, notes: [] });
    expect(await collect(readInstances(await openData(out, AROUND)))).toEqual(instances);
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    expect(card).toContain('# Unverified\n');
    expect(readCard(card).datasetInfo).toMatchObject({ numExamples: 120 });
  });

  test('records are opened again as the rows that they were', async () => {
    const out = newFolder();
    const report = await exportData(join(run, 'CUPID-Raw'), { format, outputDir: out }, AROUND);
    expect(report).toMatchObject({ records: 40 });
    expect(report.instances).toBeUndefined();
    expect(await collect(readRecords(await openData(out, AROUND)))).toEqual(convertToTable(records));
  });

  test('the canary of the data is in the card and beside the rows, first', async () => {
    const out = newFolder();
    await exportData(unverified(), { format, outputDir: out }, AROUND);
    const card = join(out, 'README.md');
    expect(readCard(readFileSync(card, 'utf8')).canary).toBe(CANARY);
    rmSync(card);
    expect((await openData(out, AROUND)).canary).toBe(CANARY);
    if (format !== 'jsonl' && format !== 'json') return;
    const { canary, files } = manifestSchema.parse(JSON.parse(readFileSync(join(out, MANIFEST), 'utf8')));
    expect(readFileSync(join(out, MANIFEST), 'utf8')).toMatch(/^\{\s*"canary": "This is a benchmark/);
    expect(canary).toContain(CANARY);
    expect(files).toMatchObject([{ path: `test.${format}`, rows: 120 }]);
  });

  test('the same data give the same bytes', async () => {
    const outs = [newFolder(), newFolder()];
    for (const out of outs) await exportData(unverified(), { format, outputDir: out }, AROUND);
    const [one, other] = outs.map((out) =>
      readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'hex')}`)
        .toSorted(),
    );
    expect(one).toEqual(other);
    expect(one?.length).toBeGreaterThan(1);
  });
});

describe('`datasets` loads the folder with the features and rows of the data set that it was made of', () => {
  withReaders.test('instances in every form, and in several files', async () => {
    const outs = Array.from({ length: 5 }, newFolder);
    for (const [place, out] of outs.entries()) {
      const format = (['parquet', 'arrow', 'jsonl', 'json', 'parquet'] as const)[place] ?? 'parquet';
      const around = place === 4 ? SMALL_SHARDS : AROUND;
      await exportData(unverified(), { format, outputDir: out }, around);
    }
    const [original, ...made] = await readFolders([unverified(), ...outs]);
    expect(made).toHaveLength(outs.length);
    for (const [place, one] of made.entries()) {
      expect(one.rows).toEqual(instances);
      expect(one.columns).toEqual(original?.columns);
      expect(one.info?.['features']).toEqual(original?.info?.['features']);
      // The library counted these itself, although the card has them.
      const card = readFileSync(join(outs[place] ?? '', 'README.md'), 'utf8');
      const readme = readCard(card).datasetInfo;
      expect(one.info).toMatchObject({
        dataset_size: readme?.datasetSize,
        download_size: readme?.downloadSize,
      });
      expect(readme?.datasetSize).toBeGreaterThan(100_000);
    }
  });

  withReaders.test('JSON lines of records', async () => {
    const out = newFolder();
    await exportData(join(run, 'CUPID-Raw'), { format: 'jsonl', outputDir: out }, AROUND);
    const [original, exported] = await readFolders([join(run, 'CUPID-Raw'), out]);
    expect(exported?.rows).toEqual(convertToTable(records));
    expect(exported?.columns).toEqual(original?.columns);
  });

  withOldReaders.test.each(OLD_VERSIONS)('JSON lines of records, by datasets %s', async (version) => {
    const out = newFolder();
    await exportData(join(run, 'CUPID-Raw'), { format: 'jsonl', outputDir: out }, AROUND);
    const [original] = await readFolders([join(run, 'CUPID-Raw')]);
    const [exported] = await readFolders([out], version);
    expect(exported?.rows).toEqual(convertToTable(records));
    expect(exported?.columns).toEqual(original?.columns);
  });
});

describe('for memory systems', () => {
  withPython.test('the rule in the manifest computes the split of each row in Python', async () => {
    const out = newFolder();
    await exportData(unverified(), { format: 'memory', outputDir: out }, AROUND);
    const program = `import hashlib, json, sys
folder = sys.argv[1]
rule = json.load(open(folder + "/manifest.json"))["split"]
read = lambda name: [json.loads(line) for line in open(f"{folder}/{name}", encoding="utf-8")]
personas = {row["id"]: row["persona_id"] for row in read("labels.jsonl")}
replays = read("sessions.jsonl")
for row in replays:
    names = {"hashlib": hashlib, "salt": rule["salt"], "persona_id": personas[row["id"]]}
    assert eval(rule["rule"], names) == row["split"], row["id"]
print(len(replays))`;
    const { stdout } = await promisify(execFile)('python3', ['-c', program, out]);
    expect(stdout).toBe('120\n');
  });

  withReaders.test('the lines of docs/python.md run, and choose the personas of the split', async () => {
    const place = newFolder();
    cpSync(run, join(place, 'out'), { recursive: true });
    await exportData(join(place, 'out'), { format: 'memory', outputDir: join(place, 'replay') }, AROUND);
    const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'python.md'), 'utf8');
    const all = [...page.matchAll(/^```python\n([^]*?)^```$/gm)].map(([, block]) => block ?? '');
    // Training needs a GPU.
    const blocks = all.filter((block) => !block.includes('trl'));
    expect(blocks.length).toBeGreaterThan(4);
    const program = [...blocks, 'print(json.dumps([row["persona_id"] for row in train]))'].join('\n');
    const { stdout } = await promisify(execFile)(getPart('readers'), ['-c', program], {
      cwd: place,
      env: { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: join(place, 'cache') },
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^evidence 0\.\d+$/));
    const train = instances.filter(({ persona_id: persona }) => getSplit(persona) === 'train');
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual(train.map(({ persona_id: persona }) => persona));
    const ids = new Set(instances.map(({ persona_id: persona }) => persona));
    expect(readFileSync(join(place, 'ids.txt'), 'utf8').split('\n')).toHaveLength(ids.size);
  });

  withReaders.test('every reader reads both files, and the rows are the same', async () => {
    const out = newFolder();
    await exportData(unverified(), { format: 'memory', outputDir: out }, AROUND);
    for (const name of ['sessions.jsonl', 'labels.jsonl']) {
      const lines = readFileSync(join(out, name), 'utf8').trimEnd().split('\n');
      const rows = lines.map((line): unknown => JSON.parse(line));
      const readings = Object.values(await readWithAllReaders(join(out, name)));
      expect(readings.length).toBeGreaterThan(1);
      for (const reading of readings) expect(reading.rows).toEqual(rows);
    }
  });
});

test('of a run’s folder the instances are exported, and the output says where the records are', async () => {
  const report = await exportData(run, { format: 'jsonl', outputDir: newFolder() }, AROUND);
  expect(report).toMatchObject({ instances: 120 });
  expect(report.notes).toEqual([expect.stringContaining(join(run, 'CUPID-Raw'))]);
});

describe('Parquet', () => {
  test('is cut into files of the Hub’s names, which hold all rows in order', async () => {
    const out = newFolder();
    const report = await exportData(unverified(), { format: 'parquet', outputDir: out }, SMALL_SHARDS);
    const names = readdirSync(join(out, 'data'));
    expect(names.length).toBeGreaterThan(3);
    expect(names).toEqual(
      names.map((_, index) => `test-0000${index}-of-${String(names.length).padStart(5, '0')}.parquet`),
    );
    const parts = report.parts.filter(({ path }) => path.startsWith('data/'));
    expect(parts.map(({ path }) => path)).toEqual(names.map((name) => `data/${name}`));
    expect(parts.reduce((sum, { rows = 0 }) => sum + rows, 0)).toBe(120);
    expect(await collect(readInstances(await openData(out, AROUND)))).toEqual(instances);
    expect(readCard(readFileSync(join(out, 'README.md'), 'utf8'))).toMatchObject({
      testFiles: ['data/test-*'],
      datasetInfo: { numExamples: 120, downloadSize: parts.reduce((sum, { bytes }) => sum + bytes, 0) },
    });
  });
});

test('a part has as many rows as fit, and one that fits nowhere stands alone', async () => {
  const parts: string[][] = [];
  for await (const part of splitIntoShards(stream(['aaaa', 'bb', 'cccccccccc', 'dd', 'é', 'f']), 6))
    parts.push(await collect(part));
  expect(parts).toEqual([['aaaa', 'bb'], ['cccccccccc'], ['dd', 'é', 'f']]);
  const empty: unknown[][] = [];
  for await (const part of splitIntoShards(stream([]), 6)) empty.push(await collect(part));
  expect(empty).toEqual([[]]);
});

test('a row of JSON lines is a line of UTF-8 with the columns’ keys in their order, and null for what is absent', async () => {
  const file = join(folder, 'lines.jsonl');
  const row = {
    prior_interactions: [
      { dialogue: [{ content: 'a\nb', role: 'user' as const }], context_factor: 'é\u2028' },
    ],
    persona_id: '1+x',
    unknown: 'left out',
  };
  const written = await writeJsonLines<Loose<Instance>>(file, INSTANCE_COLUMNS, [row, row]);
  const line =
    '{"persona_id":"1+x","instance_type":null,"current_request":null,"current_context_factor":null,' +
    '"current_contextual_preference":null,"current_checklist":null,"prior_interactions":[{"context_factor":"é\u2028",' +
    '"contextual_preference":null,"dialogue":[{"role":"user","content":"a\\nb"}]}]}\n';
  expect(readFileSync(file, 'utf8')).toBe(line + line);
  expect(written).toMatchObject({ rows: 2, bytes: Buffer.byteLength(line) * 2 });
});

test('columns of others are left out by name', async () => {
  const [source, out] = [`${newFolder()}.json`, newFolder()];
  writeFileSync(source, JSON.stringify(instances.map((row) => ({ ...row, difficulty: 3, split: 'a' }))));
  const report = await exportData(source, { format: 'parquet', outputDir: out }, AROUND);
  expect(report.notes).toEqual(["These columns are not CUPID's and were left out: difficulty, split."]);
});

test('half of a surrogate pair is refused with its row and column, not written as something else', async () => {
  const file = join(folder, 'half.jsonl');
  const rows = [{ ...instances[0], current_request: 'cut \ud83d' }];
  await expect(writeJsonLines<Loose<Instance>>(file, INSTANCE_COLUMNS, rows)).rejects.toThrow(
    /Row 1 .*column current_request: half of a surrogate pair/,
  );
  expect(readdirSync(folder)).not.toContain('half.jsonl');
});

describe('provenance and simulation', () => {
  test('the provenance of instances comes along byte for byte', async () => {
    const source = join(folder, 'with-provenance');
    await writeRun(source, records.slice(0, 1));
    const file = join(source, 'provenance.parquet');
    await writeParquet(file, PROVENANCE_COLUMNS, buildNumbered(3, buildProvenanceRow));
    const out = newFolder();
    await exportData(join(source, 'CUPID-Unverified'), { format: 'parquet', outputDir: out }, AROUND);
    expect(readFileSync(join(out, 'provenance.parquet'))).toEqual(readFileSync(file));
  });

  test('data without a card get one that claims nothing, and says so first where they are simulated', async () => {
    const source = join(folder, 'bare');
    mkdirSync(source);
    await writeParquet(join(source, 'test.parquet'), INSTANCE_COLUMNS, instances.slice(0, 3));
    const [unknown, simulated] = [newFolder(), newFolder()];
    await exportData(source, { format: 'jsonl', outputDir: unknown }, AROUND);
    const text = readFileSync(join(unknown, 'README.md'), 'utf8');
    expect(text).toContain('its origin, its models and its license are unknown');
    expect(readCard(text)).toMatchObject({ testFiles: ['test.jsonl'], simulated: undefined, ours: false });

    const origins = buildNumbered(3, buildProvenanceRow).map((row) => ({ ...row, simulated: true }));
    await writeParquet(join(source, 'provenance.parquet'), PROVENANCE_COLUMNS, origins);
    await exportData(source, { format: 'arrow', outputDir: simulated }, AROUND);
    const [, , body = ''] = readFileSync(join(simulated, 'README.md'), 'utf8').split('---\n');
    expect(body.trimStart()).toMatch(/^\*\*Simulated data:/);
    expect((await openData(simulated, AROUND)).simulated).toBe(true);
  });

  test('a README that is no card, such as that of the folder a file lies in, is not taken for one', async () => {
    const source = join(folder, 'project');
    mkdirSync(source);
    writeFileSync(join(source, 'README.md'), '# My project\n\nHow to build it.\n');
    const file = join(source, 'data.parquet');
    await writeParquet(file, INSTANCE_COLUMNS, instances.slice(0, 3));
    const out = newFolder();
    await exportData(file, { format: 'parquet', outputDir: out }, AROUND);
    expect(readFileSync(join(out, 'README.md'), 'utf8')).not.toContain('My project');
  });
});

describe('the output folder is there whole or not at all', () => {
  test('a row that is not sound leaves nothing behind', async () => {
    const source = join(folder, 'bad.jsonl');
    const bad = { ...instances[119], current_checklist: [] };
    writeFileSync(source, [...instances.slice(0, 119), bad].map((row) => JSON.stringify(row)).join('\n'));
    const parent = join(folder, 'parent');
    mkdirSync(parent);
    for (const format of ['parquet', 'arrow', 'jsonl', 'reference'] as const) {
      const made = exportData(source, { format, outputDir: join(parent, 'out') }, AROUND);
      await expect(made).rejects.toThrow(/bad\.jsonl, line 120, field current_checklist/);
    }
    expect(readdirSync(parent)).toEqual([]);
  });

  test('work that is stopped half-way leaves nothing behind', async () => {
    const parent = join(folder, 'stopped');
    mkdirSync(parent);
    const stop = new AbortController();
    let rows = 0;
    const progress = () => {
      rows += 1;
      if (rows === 50) stop.abort();
    };
    const around = { ...AROUND, signal: stop.signal, progress };
    const made = exportData(unverified(), { format: 'parquet', outputDir: join(parent, 'out') }, around);
    await expect(made).rejects.toThrow('aborted');
    expect(rows).toBe(50);
    expect(readdirSync(parent)).toEqual([]);
  });

  test('what a killed try at the same folder left goes with the next one, and nothing else does', async () => {
    const parent = join(folder, 'killed');
    const unfinished = '.writing-0b0f6a2e-7f4e-4f5a-9d0c-5d1f2a3b4c5d';
    for (const name of [`.out${unfinished}`, `.other${unfinished}`, '.out.writing-mine']) {
      mkdirSync(join(parent, name, 'data'), { recursive: true });
    }
    await exportData(unverified(), { format: 'jsonl', outputDir: join(parent, 'out') }, AROUND);
    expect(readdirSync(parent)).toEqual([`.other${unfinished}`, '.out.writing-mine', 'out']);
  });

  test('an empty folder is filled; one that is not, or a file, is refused before anything is read', async () => {
    const empty = newFolder();
    mkdirSync(empty);
    await exportData(unverified(), { format: 'jsonl', outputDir: empty }, AROUND);
    expect(readdirSync(empty).toSorted()).toEqual(['README.md', 'manifest.json', 'test.jsonl']);
    for (const taken of [empty, join(empty, 'README.md'), process.cwd()]) {
      const made = exportData('not there', { format: 'jsonl', outputDir: taken }, AROUND);
      await expect(made).rejects.toThrow(/is not empty|is a file/);
    }
    expect(readdirSync(empty).toSorted()).toEqual(['README.md', 'manifest.json', 'test.jsonl']);
  });

  test('what is not there is reported as wrong usage', async () => {
    const made = exportData(join(folder, 'nothing'), { format: 'arrow', outputDir: newFolder() }, AROUND);
    await expect(made).rejects.toThrow(DataError);
  });
});
