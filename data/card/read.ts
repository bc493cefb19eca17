import * as z from 'zod';
import { findCanary } from '../marks/canary';
import { readFrontMatter, OURS_TAG } from './front-matter';
import { UNKNOWN_LICENSE } from './licenses';

/** Statements of a data set's card (README.md) about its files. */
export interface Card {
  /** Files of the default config's `test` split, as paths or patterns; undefined when the card names none. */
  readonly testFiles: readonly string[] | undefined;
  /** Files of all configs and splits, as paths or patterns; undefined when the card names none. */
  readonly files: readonly string[] | undefined;
  /** True if the card says that the data are simulated; else undefined. */
  readonly simulated: true | undefined;
  /** GUID that identifies the data in training data; undefined if the card has none. */
  readonly canary: string | undefined;
  /** License as named in the front matter; unknown if it names several, or none that can be read. Undefined when it names none. */
  readonly license: string | undefined;
  readonly tags: readonly string[];
  /** True for a data set of this program's own run. */
  readonly ours: boolean;
  /** Statements about the default config's `test` split; undefined if there are none. */
  readonly datasetInfo: z.infer<typeof datasetInfoSchema> | undefined;
}

/** Reads a card. All fields are undefined or false for a card without front matter, or with one that the Hub does not know. */
export function readCard(text: string): Card {
  const front = frontMatterSchema.parse(readFrontMatter(text));
  const { license, tags } = front;
  const simulated = tags.includes('simulated') || text.includes(SIMULATED_SENTENCE);
  return {
    testFiles: testFilesOf(front.configs),
    files: listConfigFiles(front.configs),
    simulated: simulated || undefined,
    canary: findCanary(text),
    license,
    tags,
    ours: tags.includes(OURS_TAG),
    datasetInfo: findDefault(front.dataset_info),
  };
}

// Beginning of the cards of simulated data that this program writes (data/card/render.ts).
const SIMULATED_SENTENCE = '**Simulated data:';

/** A text that YAML may read as another scalar, such as a year. */
const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Builds the schema of one element or a list, whose invalid elements are dropped. */
function buildListSchema<Element>(elementSchema: z.ZodType<Element>) {
  const keptSchema = elementSchema.transform((element) => [element]).catch([]);
  return z.union([z.array(keptSchema).transform((elements) => elements.flat()), keptSchema]);
}

/** An empty list names no license, as an empty value does. */
const licenseSchema = z
  .unknown()
  .optional()
  .transform((value) => {
    const values = [value].flat().filter((license) => license !== undefined && license !== null);
    if (values.length === 0) return undefined;
    const { data: license } = textSchema.safeParse(values[0]);
    return values.length > 1 ? UNKNOWN_LICENSE : (license ?? UNKNOWN_LICENSE);
  });

const pathsSchema = z.union([textSchema.transform((path) => [path]), z.array(textSchema)]);

const configSchema = z.object({
  config_name: textSchema.optional(),
  default: z.boolean().optional().catch(undefined),
  data_dir: textSchema.optional(),
  data_files: z
    .union([
      z.array(z.object({ split: textSchema, path: pathsSchema })),
      z
        .record(z.string(), pathsSchema)
        .transform((splits) => Object.entries(splits).map(([split, path]) => ({ split, path }))),
      // `datasets` takes one path, or a list without splits, as training data.
      pathsSchema.transform((path) => [{ split: 'train', path }]),
    ])
    .optional()
    .catch(undefined),
});
type Config = z.infer<typeof configSchema>;

const countSchema = z.number().int().nonnegative().optional().catch(undefined);

const datasetInfoSchema = z
  .object({
    config_name: textSchema.optional(),
    features: z.array(z.unknown()).optional().catch(undefined),
    splits: z
      .array(z.object({ name: z.string(), num_bytes: countSchema, num_examples: countSchema }))
      .catch([]),
    download_size: countSchema,
    dataset_size: countSchema,
  })
  .transform(({ config_name, features, splits, download_size: downloadSize, dataset_size: datasetSize }) => {
    const { num_bytes: numBytes, num_examples: numExamples } =
      splits.find(({ name }) => name === 'test') ?? {};
    return { config_name, features, numBytes, numExamples, downloadSize, datasetSize };
  });

const frontMatterSchema = z
  .object({
    license: licenseSchema,
    tags: buildListSchema(textSchema),
    configs: buildListSchema(configSchema),
    dataset_info: buildListSchema(datasetInfoSchema),
  })
  .catch({ license: undefined, tags: [], configs: [], dataset_info: [] });

/** Finds the config that is used when none is named. */
function findDefault<One extends { config_name?: string | undefined; default?: boolean | undefined }>(
  configs: readonly One[],
): One | undefined {
  return (
    configs.find((candidate) => candidate.default === true) ??
    configs.find((candidate) => candidate.config_name === 'default') ??
    (configs.length === 1 ? configs[0] : undefined)
  );
}

function testFilesOf(configs: readonly Config[]): string[] | undefined {
  const config = findDefault(configs);
  const files = config?.data_files?.filter(({ split }) => split === 'test').flatMap(({ path }) => path);
  return config === undefined || files === undefined || files.length === 0
    ? undefined
    : files.map((file) => withFolder(config, file));
}

function listConfigFiles(configs: readonly Config[]): string[] | undefined {
  const files = configs.flatMap((config) => {
    const { data_dir: folder, data_files: dataFiles } = config;
    const paths = dataFiles?.flatMap(({ path }) => path) ?? (folder === undefined ? [] : ['**']);
    return paths.map((path) => withFolder(config, path));
  });
  return files.length === 0 ? undefined : files;
}

/** Returns a config's path, relative to the data set's folder, without segments that are "." */
function withFolder({ data_dir }: Config, file: string): string {
  const folders = data_dir?.split('/').filter(Boolean) ?? [];
  return [...folders, ...file.split('/')].filter((segment) => segment !== '.').join('/');
}
