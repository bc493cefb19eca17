import type { Schema } from 'apache-arrow';
import * as z from 'zod';
import { formatCount } from '../../schemas/text/count-text';
import { buildDatasetInfo, type CardFiles } from './dataset-info';
import { readFrontMatter, withFrontMatter } from './front-matter';
import { formatCode, renderBullets } from './markdown';
import { BENCHMARK_SECTION, withSection } from './section';

/** A configuration of a benchmark, which is a task of the same name. */
export interface BenchmarkConfig {
  readonly name: 'choice' | 'generation';
  readonly columns: Schema;
  readonly files: CardFiles;
}

/**
 * Returns the card with the configurations of a benchmark beside its own, and a section on how to run them.
 * @param repo `owner/name` on the Hub
 * @throws DataError when the front matter is not YAML
 */
export function withBenchmark(
  card: string,
  repo: string,
  own: readonly string[],
  configs: readonly BenchmarkConfig[],
): string {
  const front = frontSchema.parse(readFrontMatter(card));
  const isOther = ({ config_name: name }: { readonly config_name?: string | undefined }) =>
    !configs.some((config) => config.name === name);
  const others = front.configs.filter(isOther);
  const files = { config_name: 'default', data_files: [{ split: 'test', path: own }] };
  const text = withFrontMatter(card, {
    configs: [
      ...(others.length === 0 ? [files] : others),
      ...configs.map(({ name, files: { path } }) => ({
        config_name: name,
        data_files: [{ split: 'test', path }],
      })),
    ],
    dataset_info: [
      // A single one has no name.
      ...front.dataset_info.filter(isOther).map((info) => ({ config_name: 'default', ...info })),
      ...configs.map(({ name, columns, files: about }) => ({
        config_name: name,
        ...buildDatasetInfo(columns, about),
      })),
    ],
  });
  return withSection(text, BENCHMARK_SECTION, renderBenchmark(repo, configs), 'Limits');
}

const namedSchema = z.looseObject({ config_name: z.string().optional() });

const frontSchema = z
  .object({
    configs: z.array(namedSchema).catch([]),
    dataset_info: z.union([z.array(namedSchema), namedSchema.transform((info) => [info])]).catch([]),
  })
  .catch({ configs: [], dataset_info: [] });

function renderBenchmark(repo: string, configs: readonly BenchmarkConfig[]): string {
  return [
    `${formatCode('eval.yaml')} makes this data set a benchmark of [Inspect](https://inspect.aisi.org.uk). Run a task, for example with ${formatCode(`inspect eval hf/${repo}/choice --model MODEL`)}:`,
    renderBullets(
      configs.map(
        ({ name, files }) => `${formatCode(name)} (${formatCount(files.rows, 'row')}): ${MEANING[name]}`,
      ),
    ),
    'Each task has a configuration of the same name. The input has the earlier dialogues and the request.',
  ].join('\n\n');
}

const MEANING: Readonly<Record<BenchmarkConfig['name'], string>> = {
  choice:
    "choose the preference among up to four of the persona's. The number is the accuracy, which needs no judge. Instances whose persona shows fewer than two preferences are left out.",
  generation:
    'respond to the request. A model grades whether the response satisfies the preference and its checklist, so state which one.',
};
