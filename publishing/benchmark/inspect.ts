import { stringify } from 'yaml';
import { type BenchmarkConfig, INSPECT_NOTE, withBenchmark } from '../../data/card/benchmark';
import { writeTextPart } from '../../data/store/new-folder';
import { type BenchmarkTask, formatQuestionsName } from '../../schemas/dataset/benchmark';
import type { WrittenPart } from '../../schemas/dataset/export';
import type { Instance } from '../../schemas/dataset/instance';
import type { LongHistory } from '../export/history';
import type { ExportSource } from '../export/source';
import { writeChoices, writeGenerations } from './questions';

/** A benchmark's files, and the card of its data set. */
interface Benchmark {
  /** Adds the benchmark to a card. @param paths of the data set's files in its folder */
  readonly complete: (card: string, paths: readonly string[]) => string;
  /** Its files, by their paths in the folder. */
  readonly parts: readonly WrittenPart[];
}

/** Description of a benchmark, in the root of its repository. */
export const EVAL_FILE = 'eval.yaml';

/**
 * Writes the questions of a data set as configurations of it, and `eval.yaml`, by which Inspect runs them.
 * @param repo `owner/name` on the Hub; undefined if it is not known yet
 * @param history extended histories for further configurations of both tasks; undefined for none
 */
export async function writeBenchmark(
  folder: string,
  source: Pick<ExportSource<Instance>, 'rows' | 'simulated' | 'canary'>,
  repo: string | undefined,
  history: LongHistory | undefined,
): Promise<Benchmark> {
  const configs: BenchmarkConfig[] = [];
  for (const length of history === undefined ? [undefined] : [undefined, history]) {
    const buildForm = (task: BenchmarkTask) => ({
      name: formatQuestionsName(task, length?.tier),
      history: length,
    });
    configs.push(await writeChoices(folder, source, buildForm('choice')));
    configs.push(await writeGenerations(folder, source, buildForm('generation')));
  }
  return {
    complete: (card, paths) => withBenchmark(card, repo, paths, configs, history),
    parts: [
      ...configs.map(({ files: { path, rows, bytes } }) => ({ path, files: 1, rows, bytes })),
      await writeTextPart(folder, EVAL_FILE, renderEvalFile(repo, configs)),
    ],
  };
}

/** Renders `eval.yaml` in the Hub's form, which has no field for a version. */
function renderEvalFile(repo: string | undefined, configs: readonly BenchmarkConfig[]): string {
  const content = {
    name: repo?.split('/').at(-1) ?? 'cupid',
    description: `Preferences that depend on context: whether a model infers from earlier dialogues what a user expects of a response (CUPID). ${INSPECT_NOTE}`,
    evaluation_framework: 'inspect-ai',
    tasks: configs.map(({ name, task }) => ({ id: name, config: name, split: 'test', ...TASKS[task] })),
  };
  return stringify(content, { aliasDuplicateObjects: false });
}

const TASKS: Readonly<Record<BenchmarkTask, object>> = {
  choice: {
    field_spec: { input: 'input', target: 'answer', choices: 'choices' },
    solvers: [{ name: 'multiple_choice' }],
    scorers: [{ name: 'choice' }],
  },
  generation: {
    field_spec: { input: 'input', target: 'target' },
    solvers: [{ name: 'generate' }],
    scorers: [{ name: 'model_graded_qa' }],
  },
};
