import { DataType, type Field } from 'apache-arrow';
import { CONTENT } from '../../data/card/content';
import { getDtype } from '../../data/card/dataset-info';
import { readCard } from '../../data/card/read';
import { findSection } from '../../data/card/section';
import { REVIEWED_TAG } from '../../data/card/verification';
import { parseHubName } from '../../data/hub/name';
import { renderCanary } from '../../data/marks/canary';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import type { KindName } from '../../data/sets/kinds';
import { writeTextPart } from '../../data/store/new-folder';
import type { WrittenPart } from '../../schemas/dataset/export';
import { omitUndefined } from '../../schemas/omit-undefined';
import { listPresent } from '../../schemas/text/list-present';
import { readSourceCard } from './source';
import { quotePath } from '../../schemas/text/shell-text';

const FILE = 'croissant.json';

/**
 * Writes the description of a published data set in Croissant 1.0, with the responsible-AI fields that papers on data sets need. They are from the
 * card, which has the facts of the run and of a review.
 * @param repo `owner/name` on the Hub; undefined for the name that was given
 * @throws DataError when the data set has no card or is not Parquet, or its place on the Hub is unknown
 */
export async function writeCroissant(
  folder: string,
  { dataSet, kind }: { readonly dataSet: DataSet; readonly kind: KindName },
  repo: string | undefined,
): Promise<WrittenPart[]> {
  const hub = repo ?? (dataSet.commit === undefined ? undefined : dataSet.argument);
  const name = hub === undefined ? undefined : parseHubName(hub)?.dataSet;
  if (name === undefined) {
    throw new DataError(
      `Croissant names the address of each file. Add the data set on the Hub that has the files of ${dataSet.source}: --repo OWNER/NAME`,
    );
  }
  const card = await readSourceCard(dataSet);
  if (card === undefined) {
    throw new DataError(
      `${dataSet.source} has no card (${CARD}), and Croissant's fields on limits, biases and annotation are from it. Name a folder with a card.`,
    );
  }
  const text = `${JSON.stringify(buildCroissant(dataSet, kind, name, card), null, 2)}\n`;
  return [await writeTextPart(folder, FILE, text)];
}

function buildCroissant(dataSet: DataSet, kind: KindName, repo: string, card: string): object {
  const { columns, summary, meaning } = CONTENT[kind === 'records' ? 'CUPID-Raw' : 'CUPID-Unverified'];
  const meanings = new Map<string, string>(Object.entries(meaning));
  const url = `https://huggingface.co/datasets/${repo}`;
  const paths = listPaths(dataSet);
  const isOneFile = paths.length === 1;
  const source = isOneFile ? { fileObject: { '@id': paths[0] } } : { fileSet: { '@id': FILE_SET } };
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: ['http://mlcommons.org/croissant/1.0', 'http://mlcommons.org/croissant/RAI/1.0'],
    name: repo.split('/').at(-1),
    description: summary,
    url,
    ...omitUndefined({
      license: readCard(card).license,
      citeAs: /@inproceedings[\s\S]*?\n}/.exec(card)?.[0],
      ...describeResponsibly(card, dataSet),
    }),
    distribution: [
      ...dataSet.files.map(({ bytes, sha256 }, at) => ({
        '@type': 'cr:FileObject',
        '@id': paths[at],
        name: paths[at],
        contentUrl: `${url}/resolve/main/${paths[at]}`,
        contentSize: `${bytes} B`,
        encodingFormat: 'application/x-parquet',
        sha256,
      })),
      ...(isOneFile ? [] : buildFileSet(url, paths)),
    ],
    recordSet: [
      {
        '@type': 'cr:RecordSet',
        '@id': kind,
        name: kind,
        field: columns.fields.map((field) =>
          buildField(field, `${kind}/${field.name}`, meanings.get(field.name), {
            ...source,
            extract: { column: field.name },
          }),
        ),
      },
    ],
  };
}

/** Builds the repository and the set of these files in it, because readers of Croissant read a set of files from one source. */
function buildFileSet(url: string, paths: readonly string[]): object[] {
  return [
    {
      '@type': 'cr:FileObject',
      '@id': REPOSITORY,
      name: REPOSITORY,
      contentUrl: url,
      encodingFormat: 'git+https',
      // A repository has no hash, but mlcroissant requires one: this is the Hub's placeholder, an issue about it.
      sha256: 'https://github.com/mlcommons/croissant/issues/80',
    },
    {
      '@type': 'cr:FileSet',
      '@id': FILE_SET,
      name: FILE_SET,
      containedIn: { '@id': REPOSITORY },
      encodingFormat: 'application/x-parquet',
      includes: paths,
    },
  ];
}

const REPOSITORY = 'repository';
const FILE_SET = 'files';

/** Lists the paths of the files in the repository. @throws DataError for files that are not Parquet */
function listPaths({ argument, files, cardName = '' }: DataSet): string[] {
  const folder = cardName.slice(0, cardName.length - CARD.length);
  return files.map(({ name }) => {
    if (name.endsWith('.parquet')) return name.slice(folder.length);
    throw new DataError(
      `${name} is not Parquet. Write the data set as Parquet first: cupid export ${quotePath(argument)} --output-dir DIR`,
    );
  });
}

/**
 * Builds a column, with the columns of its structs. A list of structs inside another one is described only in words, because mlcroissant 1.1 cannot
 * read the rows with any form of it.
 */
function buildField(
  { name, type }: Field,
  id: string,
  meaning: string | undefined,
  source: Readonly<Record<string, unknown>>,
): object {
  const isList = DataType.isList(type);
  const children = listChildren(type);
  const isInnerList = (child: Field) =>
    isList && DataType.isList(child.type) && listChildren(child.type).length > 0;
  const description = [...listPresent(meaning), ...children.filter(isInnerList).map(describeInnerList)].join(
    '. ',
  );
  return {
    '@type': 'cr:Field',
    '@id': id,
    name,
    ...(description !== '' && { description }),
    ...(isList && { repeated: true }),
    ...(children.length > 0
      ? {
          subField: children.flatMap((child) =>
            isInnerList(child)
              ? []
              : [
                  buildField(child, `${id}/${child.name}`, undefined, {
                    ...source,
                    transform: [...[source['transform'] ?? []].flat(), { jsonPath: child.name }],
                  }),
                ],
          ),
        }
      : { dataType: DATA_TYPES[getDtype(getElementType(type))] ?? 'sc:Text' }),
    source,
  };
}

/** Returns the type of a list's elements, or the type itself. */
function getElementType(type: DataType): DataType {
  return DataType.isList(type) ? type.valueType : type;
}

/** Lists the columns of a struct, or of a list's structs. */
function listChildren(type: DataType): readonly Field[] {
  const element = getElementType(type);
  return DataType.isStruct(element) ? element.children : [];
}

function describeInnerList({ name, type }: Field): string {
  const columns = listChildren(type).map((child) => child.name);
  return `Each also has \`${name}\`, a list of objects with ${columns.join(', ')}, which Croissant's reader cannot read inside a list`;
}

const DATA_TYPES: Readonly<Record<string, string>> = {
  bool: 'sc:Boolean',
  float64: 'sc:Float',
  int64: 'sc:Integer',
};

/** Returns the responsible-AI fields; those that the card says nothing of are undefined. */
function describeResponsibly(card: string, { canary, simulated }: DataSet) {
  const { tags } = readCard(card);
  const verification = findSection(card, 'Verification');
  const isReviewed = tags.includes(REVIEWED_TAG);
  const limits = findSection(card, 'Limits')
    ?.split('\n')
    .map((line) => line.replace(/^- /, ''));
  return {
    'rai:dataCollection': findSection(card, 'How it was made'),
    'rai:dataCollectionType': tags.includes('synthetic') ? ['Synthetic'] : undefined,
    'rai:dataLimitations': limits,
    'rai:dataBiases': limits?.filter((line) => /\bbias/i.test(line)),
    'rai:personalSensitiveInformation': [
      'The personas are fictitious: models invented them and everything that they say.',
    ],
    'rai:dataUseCases': [
      simulated === true
        ? 'Trying out the pipeline only: the texts are generated by rule.'
        : 'Evaluating whether a model infers preferences that depend on context from earlier dialogues, and responds in accordance with them.',
      ...(canary === undefined ? [] : [`Not for training. ${renderCanary(canary)}`]),
    ],
    'rai:dataAnnotationProtocol': verification,
    'rai:dataAnnotationPlatform': isReviewed ? ['cupid review'] : undefined,
    'rai:machineAnnotationTools': tags.includes('model-verified') ? ['cupid verify'] : undefined,
  };
}

/** Terms of Croissant 1.0, as the specification lists them. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  ...Object.fromEntries(
    [
      'citeAs',
      'column',
      'equivalentProperty',
      'extract',
      'field',
      'fileProperty',
      'fileObject',
      'fileSet',
      'format',
      'includes',
      'isLiveDataset',
      'jsonPath',
      'key',
      'md5',
      'parentField',
      'path',
      'recordSet',
      'references',
      'regex',
      'repeated',
      'replace',
      'samplingRate',
      'separator',
      'source',
      'subField',
      'transform',
    ].map((term) => [term, `cr:${term}`]),
  ),
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  rai: 'http://mlcommons.org/croissant/RAI/',
  sc: 'https://schema.org/',
};
