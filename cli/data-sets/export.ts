import { join } from 'node:path';
import { formatTaskName } from '../../data/card/benchmark';
import { exportData as write, type ExportRequest } from '../../publishing/export';
import { formatCount } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { quotePath } from '../../schemas/text/shell-text';
import type { ExportReport } from '../../schemas/dataset/export';
import type { ExportFormat } from '../../schemas/dataset/export-format';
import { UsageError } from '../exit';
import { formatPublishCommand, makeFolder, renderParts } from './make-folder';

interface ExportOptions extends Omit<ExportRequest, 'hardest'> {
  readonly hardest?: number;
  readonly results?: string;
  readonly json?: true;
}

/** Runs 'cupid export': writes a data set, a run or results in another format. Returns the exit code. */
export async function exportData(data: string, options: ExportOptions): Promise<number> {
  const hardest = parseSelection(options);
  return makeFolder(
    `Exporting ${data}`,
    (surroundings) => write(data, { ...options, hardest }, { ...surroundings, environment: process.env }),
    renderExport,
    options,
  );
}

/** @throws UsageError when a part of `--hardest N --results DIR` is missing */
function parseSelection({ hardest: count, results }: ExportOptions): ExportRequest['hardest'] {
  if (count === undefined && results === undefined) return undefined;
  if (count === undefined || results === undefined) {
    throw new UsageError(
      '--hardest N selects personas by the scores in --results DIR. Give both, or neither.',
    );
  }
  return { count, results };
}

/** Renders what was written, and the next steps. */
export function renderExport(report: ExportReport): string[] {
  const { instances, records, samples, scores, source, folder, format, history, simulated, parts, notes } =
    report;
  const contents = listPresent(
    instances !== undefined && formatCount(instances, 'instance'),
    records !== undefined && formatCount(records, 'record'),
    samples !== undefined && formatCount(samples, 'sample'),
    scores !== undefined && formatCount(scores, 'score'),
  );
  return [
    `Wrote ${contents.join(' and ') || 'a description'}${simulated === true ? ' (simulated)' : ''} from ${source} to ${folder}:`,
    ...renderParts(parts),
    ...notes,
    ...NEXT[format](folder, simulated === true, history),
  ];
}

const table = (folder: string, simulated: boolean) => [
  `Validate: cupid validate ${quotePath(folder)}`,
  `Publish: ${formatPublishCommand(folder, simulated)}`,
];

// JSON's form of a text is one of Python, too.
const training = (folder: string) => [`Load it: load_dataset(${JSON.stringify(folder)})`];

const NEXT: Readonly<
  Record<ExportFormat, (folder: string, simulated: boolean, history: ExportReport['history']) => string[]>
> = {
  parquet: table,
  arrow: table,
  jsonl: table,
  json: table,
  memory: (folder) => [
    `Give a memory system the rows of ${join(folder, 'sessions.jsonl')} only; labels.jsonl has the answers.`,
  ],
  reference: (folder) => [`Convert it back: cupid import ${quotePath(folder)} --output-dir DIR`],
  prefmatcher: () => [
    'Evaluate with a model trained on it: cupid eval --use-matcher --matcher openai-compatible:NAME@http://HOST:PORT/v1',
  ],
  turns: training,
  sft: training,
  'preference-pairs': training,
  croissant: (folder) => [
    `Validate: mlcroissant validate --jsonld ${quotePath(`${folder}/croissant.json`)}   # pip install mlcroissant`,
  ],
  benchmark: (folder, simulated, history) => {
    const extending = history === undefined ? [] : [`--history ${history}`];
    return [`Publish: ${formatPublishCommand(folder, simulated, '--benchmark', ...extending)}`];
  },
  'lm-eval': (folder, _simulated, history) => [
    `Run: lm_eval --include_path ${quotePath(folder)} --tasks ${formatTaskName('likelihood', history)} --model hf --model_args pretrained=MODEL   # pip install 'lm_eval[hf]'`,
  ],
  'every-eval-ever': (folder) => [
    `Validate: cd ${quotePath(folder)} && every_eval_ever validate 'data/*/*/*/*.json*'   # Python 3.12: pip install every-eval-ever`,
  ],
  'eval-results': () => [
    'Add a file to its model: hf upload OWNER/MODEL FOLDER/.eval_results .eval_results --create-pr',
  ],
};
