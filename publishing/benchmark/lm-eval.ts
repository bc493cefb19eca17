import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Document, Scalar } from 'yaml';
import { type BenchmarkConfig, formatTaskName, withLmEval } from '../../data/card/benchmark';
import { withFiles } from '../../data/card/dataset-info';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { DataError } from '../../data/store/data-error';
import type { DataSet } from '../../data/sets/data-set';
import { CARD } from '../../data/folders/folder';
import { writeTextPart } from '../../data/store/new-folder';
import type { WrittenPart } from '../../schemas/dataset/export';
import type { Instance } from '../../schemas/dataset/instance';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type { LongHistory } from '../export/history';
import type { ExportSource } from '../export/source';
import { finishCard } from '../export/tables';
import { readChoiceInstruction, writeChoices } from './questions';

/**
 * Writes the questions of the task `choice` as tasks of lm-evaluation-harness: the rows, a YAML file for each way to ask, and the Python
 * functions that these name, because the harness has no aggregation of pairs.
 */
export async function writeLmEval(
  folder: string,
  source: ExportSource<Instance>,
  dataSet: DataSet,
  history: LongHistory | undefined,
): Promise<{ readonly rows: number; readonly parts: WrittenPart[] }> {
  const choices = await writeChoices(folder, source, { name: 'choice', history });
  const { path, rows, bytes } = choices.files;
  if (rows === 0) {
    throw new DataError(
      `${dataSet.source} has no questions: each persona shows fewer than two preferences. Name data with all instances of its personas.`,
    );
  }
  const instruction = await readChoiceInstruction();
  const functions = await readFile(join(PROGRAM_FOLDER, 'data', 'harness', FUNCTIONS), 'utf8');
  return {
    rows,
    parts: [
      { path, files: 1, rows, bytes },
      await writeTask(folder, { ...buildTask('likelihood', instruction, dataSet, history), ...LIKELIHOOD }),
      await writeTask(folder, { ...buildTask('generate', instruction, dataSet, history), ...GENERATE }),
      await writeTextPart(folder, FUNCTIONS, functions),
      await writeTextPart(folder, CARD, renderBenchmarkCard(source, choices, history)),
    ],
  };
}

const FUNCTIONS = 'cupid_tasks.py';

/** Fields of a task's YAML file. */
type TaskFields = Readonly<Record<string, unknown>>;

/** The answer begins as `eval` asks for it, so that its likelihood is that of the letter. */
const LIKELIHOOD: TaskFields = {
  output_type: 'multiple_choice',
  gen_prefix: '### Choice',
  target_delimiter: '\n\n',
  doc_to_choice: "{{ ['A', 'B', 'C', 'D'][:choices|length] }}",
  process_results: referTo('score_likelihoods'),
};

const GENERATE: TaskFields = {
  output_type: 'generate_until',
  // A letter and a heading. An empty list of ends is rejected by some servers.
  generation_kwargs: { do_sample: false, max_gen_toks: 512, until: ['</s>', '<|im_end|>'] },
  process_results: referTo('score_answer'),
};

/** Builds the fields that both tasks share. The question is that of `eval`, with the system prompt at its beginning. */
function buildTask(
  way: Parameters<typeof formatTaskName>[0],
  instruction: string,
  { source, commit, sha256 }: DataSet,
  history: LongHistory | undefined,
): TaskFields {
  const average = { aggregation: 'mean', higher_is_better: true };
  return {
    task: formatTaskName(way, history?.tier),
    tag: 'cupid',
    custom_dataset: referTo('load'),
    test_split: 'test',
    num_fewshot: 0,
    doc_to_text: `{{input}}\n\n${OPTIONS}\n\n{% raw %}${instruction}{% endraw %}`,
    doc_to_target: 'answer',
    metric_list: [
      { metric: 'acc', ...average },
      ...INSTANCE_TYPES.map((type) => ({ metric: `acc_${type}`, ...average })),
      { metric: 'acc_paired', aggregation: referTo('pair'), higher_is_better: true },
    ],
    metadata: {
      version: 1,
      data: { source, commit, sha256 },
      ...(history !== undefined && { history: { tokens: history.tier, seed: history.seed } }),
    },
  };
}

const OPTIONS =
  "{% for choice in choices %}{{ 'ABCD'[loop.index0] }}. {{ choice }}{{ '\\n' if not loop.last }}{% endfor %}";

/** Refers to a function of the Python file in the harness's way. */
function referTo(name: string): Scalar {
  const scalar = new Scalar(`${FUNCTIONS.replace('.py', '')}.${name}`);
  scalar.tag = '!function';
  return scalar;
}

async function writeTask(folder: string, fields: TaskFields): Promise<WrittenPart> {
  const document = new Document(fields, { aliasDuplicateObjects: false });
  return writeTextPart(folder, `${String(fields['task'])}.yaml`, document.toString({ lineWidth: 0 }));
}

function renderBenchmarkCard(
  source: ExportSource<Instance>,
  { columns, files }: BenchmarkConfig,
  history: LongHistory | undefined,
): string {
  return withLmEval(withFiles(finishCard(source), columns, files), files.rows, history);
}
