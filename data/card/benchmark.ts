import type { Schema } from 'apache-arrow';
import * as z from 'zod';
import { type BenchmarkTask, isOfTask } from '../../schemas/dataset/benchmark';
import { formatCount } from '../../schemas/text/count-text';
import { buildDatasetInfo, type CardFiles } from './dataset-info';
import { describeHistory, type DrawnHistory } from './history';
import { readFrontMatter, withFrontMatter } from './front-matter';
import { formatCode, renderBullets } from './markdown';
import { BENCHMARK_SECTION, withSection } from './section';

/** A configuration of a benchmark, which is a task of the same name: a task on the data's own histories, or on extended ones. */
export interface BenchmarkConfig {
  readonly name: string;
  readonly task: BenchmarkTask;
  readonly columns: Schema;
  readonly files: CardFiles;
}

/** Says which versions of Inspect read an answer as `eval` reads it. */
export const INSPECT_NOTE =
  'Use Inspect 0.3.264 or newer: older versions count the answers `ANSWER: **B**`, `ANSWER: (B)` and `ANSWER: $B$` as wrong.';

/**
 * Returns the card with the configurations of a benchmark beside its own, and a section on how to run them.
 * @param repo `owner/name` on the Hub; undefined if it is not known yet
 * @param paths of the data set's files
 * @param history how the histories of some configurations were extended; undefined if all have the data's own
 * @throws DataError when the front matter is not YAML
 */
export function withBenchmark(
  card: string,
  repo: string | undefined,
  paths: readonly string[],
  configs: readonly BenchmarkConfig[],
  history: DrawnHistory | undefined,
): string {
  const front = frontSchema.parse(readFrontMatter(card));
  const isOther = ({ config_name: name = '' }: { readonly config_name?: string | undefined }) =>
    !configs.some(({ task }) => isOfTask(task, name));
  const otherConfigs = front.configs.filter(isOther);
  const files = { config_name: 'default', data_files: [{ split: 'test', path: paths }] };
  const text = withFrontMatter(card, {
    configs: [
      ...(otherConfigs.length === 0 ? [files] : otherConfigs),
      ...configs.map(({ name, files: { path } }) => ({
        config_name: name,
        data_files: [{ split: 'test', path }],
      })),
    ],
    dataset_info: [
      // A single one has no name.
      ...front.dataset_info.filter(isOther).map((info) => ({ config_name: 'default', ...info })),
      ...configs.map(({ name, columns, files: fileInfo }) => ({
        config_name: name,
        ...buildDatasetInfo(columns, fileInfo),
      })),
    ],
  });
  return withSection(text, BENCHMARK_SECTION, renderBenchmark(repo, configs, history), 'Limits');
}

/**
 * Formats the name of a task of lm-evaluation-harness. The length of extended histories is part of it, because the harness lists scores by name.
 * @param way how an answer is read @param history length to which the histories are extended; undefined for the data's own
 */
export function formatTaskName(way: 'likelihood' | 'generate', history: string | undefined): string {
  return ['cupid_choice', way, ...(history === undefined ? [] : [history])].join('_');
}

/**
 * Returns the card of a folder of lm-evaluation-harness, with a section on how to run its tasks.
 * @param rows of its questions
 * @param history how the histories of the questions were extended; undefined for the data's own
 */
export function withLmEval(card: string, rows: number, history: DrawnHistory | undefined): string {
  const likelihood = formatTaskName('likelihood', history?.tier);
  const generate = formatTaskName('generate', history?.tier);
  return withSection(
    card,
    BENCHMARK_SECTION,
    [
      `This folder has two tasks of [lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness) (${formatCount(rows, 'row')}). The harness imports ${formatCode('cupid_tasks.py')} and runs its functions, so read that file first if the folder is not yours. The rows are questions: ${formatCode('input')} has the earlier dialogues and the request, ${formatCode('choices')} the preferences to choose from, and ${formatCode('answer')} the index of the right one. Run a task:`,
      `\`\`\`bash\nlm_eval --include_path FOLDER --tasks ${likelihood} --model hf --model_args pretrained=MODEL\n\`\`\``,
      renderBullets([
        `${formatCode(likelihood)}: the likelihood of each letter.`,
        `${formatCode(generate)}: the letter that the model writes.`,
      ]),
      `${formatCode('acc')} is the accuracy, also for each type of instance. ${formatCode('acc_paired')} is the share of personas whose consistent and changing rows are both right.`,
      OMISSION_NOTE,
      ...(history === undefined ? [] : [renderHistory(history)]),
    ].join('\n\n'),
    'Limits',
  );
}

function renderHistory(history: DrawnHistory): string {
  return `Extended histories: ${describeHistory(history)} Statistics and figures in this card are of the data's own histories.`;
}

const namedSchema = z.looseObject({ config_name: z.string().optional() });

const frontSchema = z
  .object({
    configs: z.array(namedSchema).catch([]),
    dataset_info: z.union([z.array(namedSchema), namedSchema.transform((info) => [info])]).catch([]),
  })
  .catch({ configs: [], dataset_info: [] });

function renderBenchmark(
  repo = 'OWNER/NAME',
  configs: readonly BenchmarkConfig[],
  history: DrawnHistory | undefined,
): string {
  return [
    `${formatCode('eval.yaml')} makes this data set a benchmark of [Inspect](https://inspect.aisi.org.uk). Run a task, for example with ${formatCode(`inspect eval hf/${repo}/choice --model MODEL`)}. ${INSPECT_NOTE}`,
    renderBullets(
      configs.map(
        ({ name, task, files }) =>
          `${formatCode(name)} (${formatCount(files.rows, 'row')}): ${name === task ? MEANING[task] : `${formatCode(task)} with extended histories.`}`,
      ),
    ),
    'Each task has a configuration of the same name. The input has the earlier dialogues and the request.',
    ...(history === undefined ? [] : [renderHistory(history)]),
  ].join('\n\n');
}

const OMISSION_NOTE = 'Instances whose persona shows fewer than two preferences are left out.';

const MEANING: Readonly<Record<BenchmarkTask, string>> = {
  choice:
    "choose the preference among up to four of the persona's. The number is the accuracy, which needs no judge. " +
    OMISSION_NOTE,
  generation:
    'respond to the request. A model grades whether the response satisfies the preference and its checklist, so state which one.',
};
