import { readCard } from '../../../../data/card/read';
import { chooseFiles } from '../../../../data/folders/choose';

const CARD = `---
license: cc-by-4.0
configs:
- config_name: raw
  data_files: raw.parquet
- config_name: default
  data_dir: ./parts/
  data_files:
  - split: train
    path: train-*
  - split: test
    path: [test-*.parquet, extra/**/test.jsonl]
---
# A data set`;

describe('which files of a folder or repository are the instances', () => {
  test.each<[string, string[], string[]]>([
    [
      "a run's folder has its own place, whatever stands beside it",
      [
        'CUPID-Raw/test.parquet',
        'CUPID-Unverified/test.arrow',
        'CUPID-Unverified/test.parquet',
        'provenance.parquet',
        'test.parquet',
      ],
      ['CUPID-Unverified/test.parquet'],
    ],
    [
      'test.parquet goes before all others',
      ['a.parquet', 'data/test-0.parquet', 'test.arrow', 'test.jsonl', 'test.parquet'],
      ['test.parquet'],
    ],
    [
      'shards in the order of their numbers',
      [
        'data/test-00010-of-00011.parquet',
        ...Array.from({ length: 10 }, (_, part) => `data/test-0000${part}-of-00011.parquet`),
      ],
      Array.from({ length: 11 }, (_, part) => `data/test-${String(part).padStart(5, '0')}-of-00011.parquet`),
    ],
    [
      'shards with the hash that datasets once put behind',
      [
        'data/test-00000-of-00001-0123456789abcdef.parquet',
        'data/train-00000-of-00001-0123456789abcdef.parquet',
      ],
      ['data/test-00000-of-00001-0123456789abcdef.parquet'],
    ],
    [
      'shards of any name, when there is one name only',
      ['data/part_10.parquet', 'data/part_9.parquet', 'data/part_8.parquet'],
      ['data/part_8.parquet', 'data/part_9.parquet', 'data/part_10.parquet'],
    ],
    [
      'the only Parquet file, and never the provenance',
      ['notes.txt', 'provenance.parquet', 'rows.parquet', 'rows.jsonl'],
      ['rows.parquet'],
    ],
    [
      'the folder of a split',
      ['test/data-00000-of-00001.arrow', 'train/data-00000-of-00001.arrow'],
      ['test/data-00000-of-00001.arrow'],
    ],
    ['JSON lines before Arrow', ['rows.arrow', 'rows.ndjson'], ['rows.ndjson']],
    ['the name test before formats', ['test.jsonl', 'train.parquet'], ['test.jsonl']],
    [
      "the Hub's conversion, by its folder",
      ['default/test/0001.parquet', 'default/test/0000.parquet', 'default/train/0000.parquet'],
      ['default/test/0000.parquet', 'default/test/0001.parquet'],
    ],
    [
      'parts that Spark wrote',
      ['_SUCCESS', 'part-00001-3f1e-9b3c-c000.snappy.parquet', 'part-00000-3f1e-9b3c-c000.snappy.parquet'],
      ['part-00000-3f1e-9b3c-c000.snappy.parquet', 'part-00001-3f1e-9b3c-c000.snappy.parquet'],
    ],
    [
      'files that DuckDB wrote',
      Array.from({ length: 11 }, (_, number) => `data_${10 - number}.parquet`),
      Array.from({ length: 11 }, (_, number) => `data_${number}.parquet`),
    ],
    ['files with nothing but numbers', ['0000.parquet', '0001.parquet'], ['0000.parquet', '0001.parquet']],
    [
      'Parquet beside another folder that is named test',
      ['CUPID.parquet', 'test/results.jsonl'],
      ['CUPID.parquet'],
    ],
    ['Arrow when there is nothing else', ['rows.feather', 'state.json'], ['rows.feather']],
  ])('%s', (_what, names, files) => {
    expect(chooseFiles('here', names, undefined).files).toEqual(files);
  });

  test('the card names the test split of its default config, by patterns, in its folder', () => {
    const names = [
      'parts/extra/a/b/test.jsonl',
      'parts/extra/test.jsonl',
      'parts/test-1.parquet',
      'parts/test-2.parquet',
      'parts/test-2.txt',
      'parts/train-1.parquet',
      'test.parquet',
    ];
    expect(chooseFiles('here', names, readCard(CARD)).files).toEqual([
      'parts/test-1.parquet',
      'parts/test-2.parquet',
      'parts/extra/a/b/test.jsonl',
      'parts/extra/test.jsonl',
    ]);
  });

  test.each([
    ['data_dir: .', '**'],
    ['data_dir: ./.', './test-[0-9]*.parquet'],
    ['default: true', '././test-*'],
  ])('segments "." of the card mean the folder itself: %s, %s', (setting, path) => {
    const card = readCard(
      `---\nconfigs:\n- ${setting}\n  data_files: [{split: test, path: "${path}"}]\n---\n`,
    );
    expect(chooseFiles('here', ['test-0.parquet'], card).files).toEqual(['test-0.parquet']);
  });

  test.each<[string, string[]]>([
    ['several of any name', ['cupid-1.parquet', 'cupid-2.parquet']],
    ['numbers beside something else', ['data_0.parquet', 'data_1.parquet', 'other.parquet']],
    ['several called test', ['test.jsonl', 'test.ndjson']],
    ['shards of several names', ['data/train-0.parquet', 'data/validation-0.parquet']],
    ['a test file in more folders than one', ['a/test.parquet', 'b/test.parquet']],
    ['a whole file beside shards of it', ['test.parquet', 'test-00000-of-00001.parquet']],
  ])('what could mean several things means none: %s', (_what, names) => {
    expect(() => chooseFiles('here', names, undefined)).toThrow(
      `here could mean any of ${names.join(', ')}. Name the file itself, or name it test`,
    );
    expect(() => chooseFiles('here', names, undefined)).toThrow(
      'If several files are one data set, add a README.md whose "configs" names them for the test split.',
    );
  });

  test('a missing shard is reported', () => {
    expect(() =>
      chooseFiles(
        'here',
        ['data/test-00000-of-00003.parquet', 'data/test-00002-of-00003.parquet'],
        undefined,
      ),
    ).toThrow(
      'here: 1 of the 3 parts of data/test is missing, the first is part 1 (parts are counted from 0). Download or copy all of them.',
    );
  });

  test('a card that names what is not there is reported', () => {
    expect(() => chooseFiles('here', ['test.parquet'], readCard(CARD))).toThrow(
      'here: its README.md says that the test split is parts/test-*.parquet, parts/extra/**/test.jsonl, but there is no such file (.parquet, ',
    );
  });

  test.each<[string, string[], string, string]>([
    [
      'sessions for memory systems',
      ['README.md', 'labels.jsonl', 'manifest.json', 'sessions.jsonl'],
      'sessions.jsonl',
      'here contains sessions for memory systems, not a data set. Name the data that you gave to cupid export.',
    ],
    [
      "the reference program's files",
      ['README.md', 'instances/1+baker+changing.json', 'personas.json'],
      'instances/*.json',
      'here has files of the reference program. Convert them first: cupid import',
    ],
  ])('%s are no data set, although their card names them for datasets', (_of, names, path, message) => {
    const card = `---\nconfigs:\n- config_name: own\n  default: true\n  data_files:\n  - split: test\n    path: "${path}"\n---\n`;
    expect(() => chooseFiles('here', names, readCard(card))).toThrow(message);
  });

  test('nothing that can be read is reported, with what there is', () => {
    expect(() => chooseFiles('here', ['a.csv', 'provenance.parquet', 'run.json'], undefined)).toThrow(
      /^here contains no data set: no \.parquet, .* file, only a\.csv, provenance\.parquet, run\.json\. Name a file, /,
    );
    expect(() => chooseFiles('here', [], undefined)).toThrow('it is empty.');
  });

  // The files of a commit must not depend on which of them are in the cache.
  test.each<[string, string[], string | undefined, boolean]>([
    ['a file of that name', ['test.parquet'], undefined, true],
    ['all of the numbered', ['data/test-00000-of-00001.parquet'], undefined, true],
    ['all of the numbered with another name', ['data/train-00000-of-00001.parquet'], undefined, false],
    ['the only one so far', ['rows.parquet'], undefined, false],
    ['numbered without end', ['data/test-0.parquet'], undefined, false],
    [
      'what the card names',
      ['data/my.parquet'],
      '---\nconfigs:\n- config_name: default\n  data_files: {test: data/my.parquet}\n---',
      true,
    ],
    [
      'what the card describes',
      ['data/my.parquet'],
      '---\nconfigs:\n- config_name: default\n  data_files: {test: data/*.parquet}\n---',
      false,
    ],
  ])('whether further files could change the choice is known: %s', (_what, names, card, certain) => {
    expect(chooseFiles('here', names, card === undefined ? undefined : readCard(card)).certain).toBe(certain);
  });
});

describe('cards', () => {
  test.each<[string, string]>([
    ['no front matter', '# Data'],
    ['front matter that is not YAML', '---\nconfigs: [\n---\n'],
    ['a list instead', '---\n- a\n---\n'],
    ['no configs', '---\nlicense: mit\n---\n'],
    ['configs of another form', '---\nconfigs: test.parquet\n---\n'],
    ['training data only', '---\nconfigs:\n- config_name: default\n  data_files: all.parquet\n---\n'],
    [
      'two configs, none the default',
      '---\nconfigs:\n- config_name: a\n  data_files: {test: a.parquet}\n- config_name: b\n  data_files: {test: b.parquet}\n---\n',
    ],
  ])('a card that says nothing of use is none: %s', (_what, text) => {
    expect(readCard(text)).toMatchObject({ testFiles: undefined, simulated: undefined, tags: [] });
  });

  test('the config that is marked as the default goes before the one of that name, and the only one needs neither', () => {
    const configs =
      '- config_name: default\n  data_files: {test: a.parquet}\n- config_name: b\n  default: true\n  data_files: {test: b.parquet}\n';
    expect(readCard(`---\r\nconfigs:\n${configs}---`).testFiles).toEqual(['b.parquet']);
    expect(
      readCard('---\nconfigs:\n- config_name: c\n  data_files: {test: [c.parquet, d.parquet]}\n---\n')
        .testFiles,
    ).toEqual(['c.parquet', 'd.parquet']);
  });
});
