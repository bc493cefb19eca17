import { parse } from 'yaml';
import { z } from 'zod';

/** What a data set's card (README.md) tells about its files. */
export interface Card {
  /** Files of the default config's `test` split, as paths or patterns; undefined when the card names none. */
  readonly testFiles: readonly string[] | undefined;
  /** True when the card says that the data are simulated; undefined when it says nothing of the kind. */
  readonly simulated: true | undefined;
}

/** Reads a card. One without front matter, or whose front matter is not what the Hub knows, tells nothing. */
export function readCard(text: string): Card {
  const front = frontMatter(text);
  const simulated = front.tags.includes('simulated') || text.includes(SIMULATED_SENTENCE);
  return { testFiles: testFilesOf(front.configs), simulated: simulated || undefined };
}

// As this program's own cards begin (data/card.ts).
const SIMULATED_SENTENCE = '**Simulated data:';

const pathsSchema = z.union([z.string().transform((path) => [path]), z.array(z.string())]);

const configSchema = z.object({
  config_name: z.string().optional(),
  default: z.boolean().optional(),
  data_dir: z.string().optional(),
  data_files: z
    .union([
      z.array(z.object({ split: z.string(), path: pathsSchema })),
      z
        .record(z.string(), pathsSchema)
        .transform((splits) => Object.entries(splits).map(([split, path]) => ({ split, path }))),
    ])
    .optional()
    // One path or list without splits is all training data to `datasets`.
    .catch(undefined),
});
type Config = z.infer<typeof configSchema>;

const frontMatterSchema = z
  .object({ tags: z.array(z.string()).catch([]), configs: z.array(configSchema).catch([]) })
  .catch({ tags: [], configs: [] });

function frontMatter(text: string): z.infer<typeof frontMatterSchema> {
  const [, front] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  let value: unknown;
  try {
    value = parse(front ?? '');
  } catch {
    value = undefined;
  }
  return frontMatterSchema.parse(value);
}

function testFilesOf(configs: readonly Config[]): string[] | undefined {
  const config =
    configs.find((candidate) => candidate.default === true) ??
    configs.find((candidate) => candidate.config_name === 'default') ??
    (configs.length === 1 ? configs[0] : undefined);
  const files = config?.data_files?.filter(({ split }) => split === 'test').flatMap(({ path }) => path);
  if (files === undefined || files.length === 0) return undefined;
  const folder = config?.data_dir?.replace(/^\.\//, '').replace(/\/+$/, '');
  return files.map((file) => (folder ? `${folder}/${file}` : file.replace(/^\.\//, '')));
}
