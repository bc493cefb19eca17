import { withLicense, withLicenseOf } from '../../../../data/card/edit';
import { formatLicenseSentence } from '../../../../data/card/licenses';
import { withFiles } from '../../../../data/card/dataset-info';
import { buildFeatures } from '../../../../data/card/dataset-info';
import { renderCard, renderImportedCard } from '../../../../data/card/render';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../../data/tables/columns';
import { readCard } from '../../../../data/card/read';
import { DataError } from '../../../../data/store/data-error';
import { listChangedLines } from '../../../golden';
import { buildCardFacts } from './card-facts';

describe('another license', () => {
  test('changes the front matter and our own section, and nothing else', () => {
    const card = renderCard(buildCardFacts());
    const [gone, come] = listChangedLines(card, withLicense(card, 'odc-by'));
    expect(gone).toEqual([
      'license: cc-by-4.0',
      expect.stringContaining('This data set is licensed under `cc-by-4.0`. '),
    ]);
    expect(come).toEqual([
      'license: odc-by',
      expect.stringContaining('This data set is licensed under `odc-by`. '),
    ]);
    expect(readCard(withLicense(card, 'odc-by')).license).toBe('odc-by');
  });

  test('ends that it is unknown', () => {
    const card = withLicense(renderImportedCard(buildCardFacts()), 'cc-by-4.0');
    expect(readCard(card).license).toBe('cc-by-4.0');
    expect(card).not.toContain('Choose one');
    expect(card).toContain('This data set is licensed under `cc-by-4.0`. If the personas');
  });

  test('that is the same changes no byte', () => {
    const card = renderCard(buildCardFacts());
    expect(withLicense(card, 'cc-by-4.0')).toBe(card);
  });

  test.each([
    [
      "in another's card, whose every other byte stays",
      '---\n# of our own\ntags:   [a,  "b"]   # two\nlicense:   mit # for now\npretty_name: >-\n  X\n  Y\n---\nText: license: mit\n',
      '---\n# of our own\ntags:   [a,  "b"]   # two\nlicense: odc-by # for now\npretty_name: >-\n  X\n  Y\n---\nText: license: mit\n',
    ],
    [
      'as a list',
      '---\nlicense:\n  - mit\n  - bsd\ntags: []\n---\n',
      '---\nlicense: odc-by\ntags: []\n---\n',
    ],
    ['without indentation', '---\nlicense:\n- mit\ntags: []\n---\n', '---\nlicense: odc-by\ntags: []\n---\n'],
    ['at the end', '---\ntags: []\nlicense: mit\n---\n', '---\ntags: []\nlicense: odc-by\n---\n'],
    ['named, but empty', '---\nlicense:\ntags: []\n---\n', '---\nlicense: odc-by\ntags: []\n---\n'],
    ['not there', '---\ntags: []\n---\n# A\n', '---\nlicense: odc-by\ntags: []\n---\n# A\n'],
    ['in an empty front matter', '---\n---\n# A\n', '---\nlicense: odc-by\n---\n# A\n'],
    ['without front matter', '# A\n', '---\nlicense: odc-by\n---\n\n# A\n'],
    ['in braces', '---\n{ license: mit, tags: [] }\n---\n', '---\n{ license: odc-by, tags: [] }\n---\n'],
    ['after a byte-order mark', '\uFEFF---\nlicense: mit\n---\n', '\uFEFF---\nlicense: odc-by\n---\n'],
    [
      "on Windows' lines",
      '---\r\nlicense: mit\r\ntags: []\r\n---\r\nA\r\n',
      '---\r\nlicense: odc-by\r\ntags: []\r\n---\r\nA\r\n',
    ],
  ])('is put in where one stood %s', (_how, before, after) => {
    expect(withLicense(before, 'odc-by')).toBe(after);
    expect(readCard(after).license).toBe('odc-by');
  });

  test.each([
    ['CC-BY-4.0', /Did you mean cc-by-4\.0\?/],
    ['cc by 4.0', /Did you mean cc-by-4\.0\?/],
    ['odc', /Did you mean odc-by\?/],
    ['proprietary', /"proprietary" is not a license id of the Hugging Face Hub.*license_name/],
    ['', /"" is not a license/],
  ])('that the Hub does not know, "%s", is refused with what may have been meant', (license, message) => {
    expect(() => withLicense('# A\n', license)).toThrow(DataError);
    expect(() => withLicense('# A\n', license)).toThrow(message);
  });

  test('that the Hub does not know needs a name in the card', () => {
    expect(() => withLicense('---\ntags: []\n---\n', 'other')).toThrow(/license_name.*license_link.*LICENSE/);
    const named =
      '---\nlicense_name: our-terms\nlicense: cc-by-4.0\n---\nThis data set is licensed under `cc-by-4.0`.\n';
    const card = withLicense(named, 'other');
    expect(readCard(card).license).toBe('other');
    expect(card).toContain('has its own license: see `license_name`');
    expect(withLicense(card, 'cc-by-4.0')).toBe(named);
  });

  test.each(['---\nlicense: [mit\n---\n', '---\n- a\n---\n', '---\na: 1\na: 2\n---\n'])(
    'of a card whose front matter is no YAML of names and values is refused: %j',
    (card) => {
      expect(() => withLicense(card, 'mit')).toThrow(DataError);
      expect(() => withLicense(card, 'mit')).toThrow(/front matter.*README\.md.*Fix it there\./s);
    },
  );
});

describe('other files', () => {
  const files = { path: 'data/test-*', rows: 3, bytes: 10, memoryBytes: 20 };

  test('are reported by configs and dataset_info; the rest of the card stays', () => {
    const card = renderCard(buildCardFacts());
    const [gone, come] = listChangedLines(card, withFiles(card, INSTANCE_COLUMNS, files));
    expect(gone).toEqual([
      '        path: test.parquet',
      '      num_bytes: 654321',
      '      num_examples: 756',
      '  download_size: 123456',
      '  dataset_size: 654321',
    ]);
    expect(come).toEqual([
      '        path: data/test-*',
      '      num_bytes: 20',
      '      num_examples: 3',
      '  download_size: 10',
      '  dataset_size: 20',
    ]);
  });

  test('that are the same change no byte', () => {
    const facts = buildCardFacts({ dataSet: 'CUPID-Raw' });
    expect(withFiles(renderCard(facts), RECORD_COLUMNS, facts.files)).toBe(renderCard(facts));
  });

  test("are put into another's card, and into no card at all", () => {
    for (const card of ['---\nlicense: mit\nconfigs: []\n---\n# A\n', '# A\n', '']) {
      const changed = withFiles(card, INSTANCE_COLUMNS, files);
      expect(changed.endsWith(card === '' ? '---\n' : '# A\n')).toBe(true);
      expect(readCard(changed)).toMatchObject({
        testFiles: ['data/test-*'],
        datasetInfo: {
          features: buildFeatures(INSTANCE_COLUMNS),
          numBytes: 20,
          numExamples: 3,
          downloadSize: 10,
          datasetSize: 20,
        },
      });
    }
  });
});

describe('a card that is read', () => {
  test('says what was written: license, tags, whose it is, files, columns and sizes', () => {
    expect(readCard(renderCard(buildCardFacts({ simulated: true, license: 'odbl' })))).toMatchObject({
      testFiles: ['test.parquet'],
      simulated: true,
      license: 'odbl',
      tags: ['synthetic', 'simulated', 'cupid-pipeline', 'personalization', 'preferences', 'cupid'],
      ours: true,
      datasetInfo: {
        features: buildFeatures(INSTANCE_COLUMNS),
        numBytes: 654_321,
        numExamples: 756,
        downloadSize: 123_456,
        datasetSize: 654_321,
      },
    });
  });

  test('of several configs reports the default one', () => {
    const card = `---\ndataset_info:\n${infoOf('other', 5)}${infoOf('default', 6)}---\n`;
    expect(readCard(card).datasetInfo).toMatchObject({ numBytes: 2, numExamples: 6, features: undefined });
  });

  test.each([
    ['[cc-by-nc-4.0]', 'cc-by-nc-4.0'],
    ['[cc-by-nc-4.0, mit]', 'unknown'],
    ['{name: mit}', 'unknown'],
    ['[[mit]]', 'unknown'],
    ['4.5', '4.5'],
  ])('never loses a license that it states: %s', (license, expected) => {
    const card = `---\nlicense: ${license}\n---\n`;
    expect(readCard(card).license).toBe(expected);
    const later = withLicenseOf(renderCard(buildCardFacts()), card);
    expect(readCard(later).license).toBe(expected);
    expect(later).toContain(formatLicenseSentence(expected));
  });

  test('keeps all but the elements that cannot be read, and scalars as text', () => {
    const card = `---
tags: [2026, true, [a], cupid-pipeline, simulated]
configs:
- 3
- config_name: 2024
  data_dir: 2024
  data_files: [{split: train, path: [1, train.parquet]}]
- {config_name: b, default: 1, data_files: b.parquet}
dataset_info:
- null
- {config_name: default, splits: [{name: test, num_examples: 4}]}
---
`;
    expect(readCard(card)).toMatchObject({
      tags: ['2026', 'true', 'cupid-pipeline', 'simulated'],
      simulated: true,
      ours: true,
      files: ['2024/1', '2024/train.parquet', 'b.parquet'],
      datasetInfo: { numExamples: 4 },
    });
    expect(readCard('---\ntags: simulated\n---\n')).toMatchObject({ tags: ['simulated'], simulated: true });
  });

  test.each([
    '',
    '# Data',
    '---\n: [\n---\n',
    '---\ndataset_info: 3\nlicense: []\n---\n',
    '---\nlicense:\n---\n',
  ])('that says nothing, or nothing that can be read, is no error: %j', (card) => {
    expect(readCard(card)).toEqual({
      testFiles: undefined,
      simulated: undefined,
      license: undefined,
      tags: [],
      ours: false,
      datasetInfo: undefined,
    });
  });
});

function infoOf(config: string, rows: number): string {
  return `- config_name: ${config}\n  splits:\n  - {name: train, num_bytes: 1, num_examples: 1}\n  - {name: test, num_bytes: 2, num_examples: ${rows}}\n`;
}
