import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readParsedRows } from '../../data/readers/parquet-table';
import { describeRescore } from '../../data/sets/results';
import { DataError } from '../../data/store/data-error';
import { formatGuid } from '../../data/marks/canary';
import { hashText, writeHashed } from '../../data/store/files';
import { writeTextPart } from '../../data/store/new-folder';
import { groupBy } from '../../rules/group-by';
import type { ExportReport, WrittenPart } from '../../schemas/dataset/export';
import {
  evaluationRowSchema,
  ROW_KEY,
  type EvaluationRow,
  type Task,
} from '../../schemas/evaluation/evaluation';
import { getContextForm } from '../../schemas/evaluation/context';
import type { ResultCell } from '../../schemas/evaluation/results';
import type { CellKey } from '../../schemas/evaluation/results/keys';
import type { SharedName } from '../../schemas/evaluation/results/shared-names';
import type { Interval } from '../../schemas/text/numbers';
import { getRowResult, MEASURES } from '../../schemas/evaluation/measure';
import { omitUndefined } from '../../schemas/omit-undefined';
import { PREFMATCHER_PROMPT } from '../../data/prompts/files';
import { buildModelId, buildModelInfo } from './model-identity';
import { findHubData, type ExportedResults } from './results';

/**
 * Writes the records of Every Eval Ever (schema 0.3.0): for each model a file with the averages of its cells. Beside it is a file with a line for
 * each instance and cell that have a score.
 */
export async function writeRecords(
  folder: string,
  results: ExportedResults,
  signal: AbortSignal | undefined,
): Promise<Pick<ExportReport, 'scores' | 'parts' | 'notes'>> {
  const parts: WrittenPart[] = [];
  let scores = 0;
  for (const [model, cells] of groupBy(results.cells, (cell) => cell.model)) {
    const record = buildRecord(results, model, cells);
    if (record.evaluation_results.length === 0) continue;
    const path = nameRecord(record, results);
    const [aggregate, samples] = [`${path}.json`, `${path}_samples.jsonl`];
    await mkdir(join(folder, dirname(path)), { recursive: true });
    const { rows, bytes, checksum } = await writeSamples(join(folder, samples), results, record, signal);
    const text = `${JSON.stringify(
      {
        ...record,
        detailed_evaluation_results: {
          format: 'jsonl',
          file_path: samples,
          hash_algorithm: 'sha256',
          checksum,
          total_rows: rows,
        },
      },
      null,
      2,
    )}\n`;
    scores += record.evaluation_results.length;
    parts.push(await writeTextPart(folder, aggregate, text), { path: samples, files: 1, rows, bytes });
  }
  if (scores === 0)
    throw new DataError(`${dirname(results.rows)} has no scores yet. Repeat its cupid eval command.`);
  return { scores, parts, notes: [BEFORE_SUBMISSION] };
}

const BEFORE_SUBMISSION =
  'Before you submit the records, write into each who evaluated (source_organization_name) and evaluator_relationship.';

type ModelRecord = ReturnType<typeof buildRecord>;

function buildRecord(results: ExportedResults, model: string, cells: readonly ResultCell[]) {
  const timestamp = String(Math.floor(results.writtenAt.getTime() / 1000));
  return {
    schema_version: SCHEMA_VERSION,
    evaluation_id: `cupid/${buildModelId(model)}/${timestamp}`,
    retrieved_timestamp: timestamp,
    source_metadata: {
      source_name: 'cupid eval',
      source_type: 'evaluation_run',
      source_organization_name: 'unknown',
      evaluator_relationship: 'other',
    },
    eval_library: {
      name: 'cupid',
      version: results.codeVersion ?? 'unknown',
      additional_details: {
        prompts_sha256: results.prompts.hash,
        simulated: String(results.simulated),
        ...describeMemory(results.memory),
      },
    },
    model_info: buildModelInfo(model, listAnswerers(cells, 'model')),
    evaluation_results: cells.flatMap((cell) => buildScores(results, cell)),
  };
}

/** Describes the memory system of the context `memory`, as texts: the schema has no other values here. */
function describeMemory(memory: ExportedResults['memory']): object {
  if (memory === undefined) return {};
  return omitUndefined({
    memory: memory.name,
    memory_budget_tokens: String(memory.budget_tokens),
    memory_contexts_cut: memory.cut?.share.toFixed(4),
    memory_contexts_empty: memory.empty?.share.toFixed(4),
  });
}

const SCHEMA_VERSION = '0.3.0';

/** Returns the path of a model's files without their endings. The same results give the same path. */
function nameRecord(record: ModelRecord, { data }: ExportedResults): string {
  const [developer = '', ...name] = record.model_info.id.split('/');
  const guid = formatGuid(JSON.stringify([record, data]), 4);
  return `data/cupid/${developer}/${name.join('_')}/${guid}`;
}

/** The averages of any task, by name. */
interface TaskAverages extends Readonly<Partial<Record<AverageName, number | null>>> {
  readonly n_instances: number;
  readonly intervals: Readonly<Partial<Record<AverageName, Interval | null>>>;
}

type AverageName = 'precision' | 'recall' | 'f1' | 'average_score' | 'accuracy' | 'paired_accuracy';

interface Metric {
  readonly key: AverageName;
  readonly name: string;
  readonly kind: string;
}

/** Averages of each task that are exported. Lines of instances belong to the first. */
const METRICS: Readonly<Record<Task, readonly [Metric, ...Metric[]]>> = {
  inference: [
    { key: 'f1', name: 'Micro F1', kind: 'f1' },
    { key: 'precision', name: 'Micro precision', kind: 'precision' },
    { key: 'recall', name: 'Micro recall', kind: 'recall' },
  ],
  generation: [{ key: 'average_score', name: "Mean of the judge's scores", kind: 'score' }],
  choice: [
    { key: 'accuracy', name: 'Accuracy', kind: 'accuracy' },
    { key: 'paired_accuracy', name: 'Paired accuracy', kind: 'accuracy' },
  ],
};

function buildScores(results: ExportedResults, cell: ResultCell): object[] {
  const averages: TaskAverages | null = cell.all[cell.task];
  const { range, scale } = MEASURES[cell.task];
  return METRICS[cell.task].flatMap(({ key, name, kind }) => {
    const score = averages?.[key];
    if (averages === null || score === null || score === undefined) return [];
    const interval = averages.intervals[key];
    return [
      {
        evaluation_result_id: nameResult(cell, key),
        evaluation_name: nameEvaluation(cell, results),
        source_data: buildSourceData(results),
        metric_config: {
          metric_id: `cupid.${key}`,
          metric_name: name,
          metric_kind: kind,
          metric_unit: scale === 100 ? 'proportion' : 'points',
          lower_is_better: false,
          score_type: 'continuous',
          // A history that is too long for the model counts as 0, on every scale.
          min_score: 0,
          max_score: range[1],
          ...buildScoring(results, cell),
        },
        score_details: {
          score,
          uncertainty: {
            ...(interval && {
              confidence_interval: {
                lower: interval.low,
                upper: interval.high,
                confidence_level: 0.95,
                method:
                  'percentile bootstrap over personas; Wilson score where all personas have the same value',
              },
              num_bootstrap_samples: results.bootstrap.resamples,
            }),
            ...(key !== 'paired_accuracy' && { num_samples: averages.n_instances }),
          },
        },
      },
    ];
  });
}

function nameEvaluation(
  { task, context }: Pick<CellKey, 'task' | 'context'>,
  { memory }: Pick<ExportedResults, 'memory'>,
): string {
  const system = getContextForm(context) === 'memory' && memory !== undefined ? `: ${memory.name}` : '';
  return `CUPID ${task} (context ${context}${system})`;
}

function nameResult(
  { task, context, evaluator, evaluator_form, decomposer }: CellKey,
  key: AverageName,
): string {
  return [task, context, evaluator, evaluator_form, decomposer ?? 'none', key].join('/');
}

function buildSourceData({ data }: ExportedResults): object {
  const hub = findHubData(data);
  return {
    dataset_name: hub?.dataSet ?? data.source,
    ...(hub === undefined
      ? { source_type: 'other' }
      : {
          source_type: 'hf_dataset',
          hf_repo: hub.dataSet,
          hf_split: 'test',
          samples_number: data.instances,
        }),
    additional_details: omitUndefined({ sha256: data.sha256, revision: hub?.revision }),
  };
}

/** Names the model that scores, with its prompt; none for a choice. */
function buildScoring({ promptPack }: ExportedResults, cell: ResultCell): object {
  if (cell.task === 'choice') return {};
  const { system_prompt: system, user_prompt: user = '' } =
    promptPack?.prompts[SCORING_PROMPTS[cell.evaluator_form]] ?? {};
  return {
    llm_scoring: {
      judges: [{ model_info: buildModelInfo(cell.evaluator, listAnswerers([cell], 'evaluator')) }],
      input_prompt: system === undefined ? 'unknown' : `${system}\n\n${user}`.trim(),
      additional_details: omitUndefined({
        form: cell.evaluator_form,
        decomposer: cell.decomposer ?? undefined,
        ...buildErrors(cell.evaluator_errors),
      }),
    },
  };
}

/** Returns what a stress test found, as texts: the schema has no other values here. */
function buildErrors(errors: ResultCell['evaluator_errors']): Readonly<Record<string, string | undefined>> {
  return {
    stress_false_acceptance_rate: errors?.false_acceptance_rate?.share.toFixed(4),
    stress_false_rejection_rate: errors?.false_rejection_rate?.share.toFixed(4),
  };
}

/** Lists the models that answered under a name, without repeats; empty if there was one. */
function listAnswerers(cells: readonly ResultCell[], role: SharedName['role']): string[] {
  const shared = cells.flatMap(({ shared_names: names = [] }) => names.filter((name) => name.role === role));
  return [...new Set(shared.flatMap(({ answered_by }) => answered_by.map(({ model }) => model)))].toSorted();
}

const SCORING_PROMPTS: Readonly<Record<EvaluationRow['evaluator_form'], string>> = {
  evaluator: 'evaluation/preference_matcher',
  prefmatcher: PREFMATCHER_PROMPT,
  judge: 'evaluation/response_judger',
  letter: 'evaluation/preference_chooser',
};

async function writeSamples(
  file: string,
  results: ExportedResults,
  record: ModelRecord,
  signal: AbortSignal | undefined,
): Promise<{ readonly rows: number; readonly bytes: number; readonly checksum: string }> {
  let rows = 0;
  async function* lines() {
    for await (const { row } of readParsedRows(results.rows, sampleSchema, describeRescore(results.rows))) {
      signal?.throwIfAborted();
      const score = getRowResult(row);
      if (row.model !== record.model_info['name'] || score === null) continue;
      rows += 1;
      yield Buffer.from(`${JSON.stringify(buildSample(record, results, row, score))}\n`);
    }
  }
  const { bytes, digest } = await writeHashed(file, lines(), createHash('sha256'));
  return { rows, bytes, checksum: digest };
}

const sampleSchema = evaluationRowSchema.pick({
  ...ROW_KEY,
  state: true,
  f1: true,
  score: true,
  choice: true,
  chosen_option: true,
  current_request: true,
  true_preference: true,
  true_checklist: true,
  inferred_preference: true,
  response: true,
  options: true,
});
type SampleRow = Pick<EvaluationRow, keyof typeof sampleSchema.shape>;

function buildSample(record: ModelRecord, results: ExportedResults, row: SampleRow, score: number): object {
  const { persona_id: persona, instance_type: type, task, options } = row;
  const reference = [row.true_preference, ...(task === 'generation' ? row.true_checklist : [])];
  const answer = { inference: row.inferred_preference, generation: row.response, choice: row.chosen_option }[
    task
  ];
  return {
    schema_version: SCHEMA_VERSION,
    evaluation_id: record.evaluation_id,
    model_id: record.model_info.id,
    evaluation_name: nameEvaluation(row, results),
    evaluation_result_id: nameResult(row, METRICS[task][0].key),
    sample_id: `${persona}+${type}`,
    sample_hash: hashText([row.current_request, ...reference].join('')),
    interaction_type: 'single_turn',
    input: { raw: row.current_request, reference, ...(options !== null && { choices: options }) },
    output: { raw: answer === null ? [] : [answer] },
    answer_attribution:
      answer === null
        ? []
        : [
            {
              turn_idx: 0,
              source: 'output.raw',
              extracted_value: answer,
              extraction_method: task === 'choice' ? 'letter' : 'whole answer',
              is_terminal: true,
            },
          ],
    // Only the best possible result is right on a scale.
    evaluation: { score, is_correct: score === MEASURES[task].range[1] },
    ...(row.state === 'context-length' && { error: 'The history exceeds the context length of the model.' }),
    metadata: { persona_id: persona, instance_type: type },
  };
}
