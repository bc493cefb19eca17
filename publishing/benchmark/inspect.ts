import { stringify } from 'yaml';
import { INSPECT_NOTE, withBenchmark } from '../../data/card/benchmark';
import { writeTextPart } from '../../data/store/new-folder';
import type { WrittenPart } from '../../schemas/dataset/export';
import type { Instance } from '../../schemas/dataset/instance';
import type { ExportSource } from '../export/source';
import { writeChoices, writeGenerations } from './questions';

/** A benchmark's files, and the card of its data set. */
export interface Benchmark {
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
 */
export async function writeBenchmark(
  folder: string,
  source: Pick<ExportSource<Instance>, 'rows' | 'simulated' | 'canary'>,
  repo: string | undefined,
): Promise<Benchmark> {
  const configs = [await writeChoices(folder, source), await writeGenerations(folder, source)];
  return {
    complete: (card, paths) => withBenchmark(card, repo, paths, configs),
    parts: [
      ...configs.map(({ files: { path, rows, bytes } }) => ({ path, files: 1, rows, bytes })),
      await writeTextPart(folder, EVAL_FILE, stringify(buildEvalFile(repo))),
    ],
  };
}

/** Builds `eval.yaml` in the Hub's form, which has no field for a version. */
function buildEvalFile(repo: string | undefined): object {
  return {
    name: repo?.split('/').at(-1) ?? 'cupid',
    description: `Preferences that depend on context: whether a model infers from earlier dialogues what a user expects of a response (CUPID). ${INSPECT_NOTE}`,
    evaluation_framework: 'inspect-ai',
    tasks: [
      {
        id: 'choice',
        config: 'choice',
        split: 'test',
        field_spec: { input: 'input', target: 'answer', choices: 'choices' },
        solvers: [{ name: 'multiple_choice' }],
        scorers: [{ name: 'choice' }],
      },
      {
        id: 'generation',
        config: 'generation',
        split: 'test',
        field_spec: { input: 'input', target: 'target' },
        solvers: [{ name: 'generate' }],
        scorers: [{ name: 'model_graded_qa' }],
      },
    ],
  };
}
