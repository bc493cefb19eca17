import { join } from 'node:path';
import { exportReportSchema } from '../../../schemas/dataset/export';
import { EXPORT_FORMATS, type ExportFormat, isResultFormat } from '../../../schemas/dataset/export-format';
import { needing } from '../../parts/needing';
import { OLD_VERSIONS } from '../../parts/readers';
import { readSplits } from '../../readers/readers';
import { createTemporaryFolder } from '../../temporary-folder';
import { runLoaded } from '../loaded-command';

const { describe, test } = needing('readers');
const withOldReaders = needing('old-readers');

const folder = createTemporaryFolder();
const [run, results] = [join(folder, 'run'), join(folder, 'results')];

/** Formats that are no data set: a description of one, and files for a repository of results and for that of a model. */
const OTHERS: readonly ExportFormat[] = ['croissant', 'every-eval-ever', 'eval-results'];
/** It reads Arrow streams only. */
const WITHOUT_ARROW_FILES = '2.19';
const FORMATS = EXPORT_FORMATS.filter((format) => !OTHERS.includes(format));

beforeAll(async () => {
  // The split of a persona depends on its id; four are in all splits.
  const synth = ['synth', '--output-dir', run, '--model', 'simulated:default', '--n-personas', '4'];
  expect(await runLoaded([...synth, '--max-turns', '4'])).toMatchObject({ code: 0 });
  const evaluation = ['eval', '--results-dir', results, '--data', run, '--model', 'simulated:default'];
  const task = ['--task', 'inference', '--evaluator', 'simulated:default'];
  expect(await runLoaded([...evaluation, ...task])).toMatchObject({ code: 0 });
});

describe.each(FORMATS)('load_dataset opens the folder of --format %s', (format) => {
  const outputDir = join(folder, format);
  let rows: number | undefined;
  beforeAll(async () => {
    const data = isResultFormat(format) ? results : run;
    const ended = await runLoaded(['export', data, '--format', format, '--output-dir', outputDir, '--json']);
    expect(ended).toMatchObject({ code: 0 });
    const { instances, samples } = exportReportSchema.parse(JSON.parse(ended.stdout));
    rows = instances ?? samples;
  });

  test('with current datasets', () => expectRows());
  const versions = OLD_VERSIONS.filter((version) => format !== 'arrow' || version !== WITHOUT_ARROW_FILES);
  withOldReaders.test.each(versions)('with datasets %s', (version) => expectRows(version));

  async function expectRows(version?: (typeof OLD_VERSIONS)[number]) {
    const splits = Object.values(await readSplits(outputDir, version));
    expect(splits.flatMap((split) => split.rows)).toHaveLength(rows ?? NaN);
  }
});

/** Configurations that are loaded by their names, with a column that only they have and the number of their rows. */
const NAMED = [
  ['memory', 'sessions', 'request: string', 12],
  ['memory', 'labels', 'stale: list<string>', 12],
  ['reference', 'instances', 'current_request: string', 12],
  ['reference', 'personas', 'personality_traits: list<string>', 4],
] as const;

describe.each(NAMED)('of --format %s, load_dataset opens %s', (format, name, column, rows) => {
  test('with current datasets', () => expectColumn());
  withOldReaders.test.each(OLD_VERSIONS)('with datasets %s', (version) => expectColumn(version));

  async function expectColumn(version?: (typeof OLD_VERSIONS)[number]) {
    const { test: split, ...others } = await readSplits(join(folder, format), version, name);
    expect(others).toEqual({});
    expect(split?.columns).toContain(column);
    expect(split?.rows).toHaveLength(rows);
  }
});
