import { join } from 'node:path';
import * as z from 'zod';
import { readTableRows } from '../../data/readers/table';
import { quotePath } from '../../schemas/text/shell-text';
import { readAsWritten } from '../../data/outputs/as-written';
import { DataError, getReason } from '../../data/store/data-error';
import { type PersonaFilter, requireChosen } from '../../data/sets/persona-filter';
import { describeIssues } from '../../schemas/text/issues';
import { mapValues } from '../../schemas/map-values';
import { evaluationRowSchema, ROW_KEY, type EvaluationRow } from '../../schemas/evaluation/evaluation';
import { readStoredEvaluation, readTrialRows } from './outcomes';
import { computeResults, RESULTS, type EvaluationResults } from './results';
import type { Store } from '../../data/store/store';

/** Results of an evaluation, from its files; from its store while there are none, or it is in progress. */
export interface StoredResults {
  readonly results: EvaluationResults;
  /** False while a part of the evaluation is open. */
  readonly isComplete: boolean;
  /** Reads the columns that comparisons need; with `scores` the texts may be empty. */
  readonly readTexts: (extent: 'scores' | 'all') => AsyncIterable<ComparedTexts>;
}

const comparedShape = {
  ...ROW_KEY,
  state: true,
  f1: true,
  score: true,
  choice: true,
} as const;
const textShape = {
  current_request: true,
  true_preference: true,
  inferred_preference: true,
  response: true,
  analysis: true,
  options: true,
  chosen_option: true,
  missing_step: true,
  missing_cause: true,
} as const;
/** A row of the results without its texts. */
export const comparedSchema = evaluationRowSchema.pick(comparedShape);
const textSchema = evaluationRowSchema.pick({ ...comparedShape, ...textShape });
export type ComparedTexts = Pick<EvaluationRow, keyof typeof comparedShape> &
  Partial<Pick<EvaluationRow, keyof typeof textShape>>;

/**
 * Reads the results from `results.json` and `results.parquet` of a folder; undefined if there is no results.json.
 * @throws DataError that names the invalid file, and the remedy
 */
export async function findResults(folder: string): Promise<StoredResults | undefined> {
  const file = join(folder, RESULTS.summary);
  const text = await readAsWritten(file, folder);
  if (text === undefined) return undefined;
  const rows = join(folder, RESULTS.rows);
  return {
    results: parseResults(file, text, folder),
    isComplete: true,
    async *readTexts(extent) {
      const schema = extent === 'all' ? textSchema : comparedSchema;
      const columns = Object.keys(schema.shape);
      for await (const { number, value } of readTableRows(
        { path: rows, name: rows, within: folder },
        columns,
      )) {
        const parsed = schema.safeParse(withNumbers(value));
        if (!parsed.success)
          throw createResultsError(rows, describeIssues(`row ${number}`, parsed.error, value), folder);
        yield parsed.data;
      }
    },
  };
}

/**
 * Computes the results from the stored answers.
 * @param filter the personas whose rows are read; absent for all
 * @throws Error that names what the store lacks, or what in it is damaged; DataError when the evaluated data lack a persona
 */
export async function readStoredResults(store: Store, filter?: PersonaFilter): Promise<StoredResults> {
  const evaluation = { ...(await readStoredEvaluation(store)), ...(filter !== undefined && { filter }) };
  if (filter !== undefined) {
    const personas = new Set(evaluation.index.map((row) => row.persona_id));
    requireChosen(filter, personas, evaluation.inputs.data.source);
  }
  const results = await computeResults(evaluation);
  return {
    results,
    isComplete: results.cells.every(({ all }) => all.counts.open === 0),
    async *readTexts() {
      for await (const trial of readTrialRows(evaluation)) for (const { row } of trial.results) yield row;
    },
  };
}

function parseResults(file: string, text: string, folder: string): EvaluationResults {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw createResultsError(file, getReason(error), folder);
  }
  const parsed = resultsSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw createResultsError(file, 'it is not a results.json of format 1', folder);
}

/** Converts whole numbers, which arrive as 64-bit integers. */
function withNumbers(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  return mapValues({ ...row }, (value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}

/** Checks only that the file is a complete one of its format, because this program wrote it. */
const resultsSchema = z.custom<EvaluationResults>(
  (value) =>
    z
      .looseObject({
        format: z.literal(1),
        simulated: z.boolean(),
        data: z.looseObject({ source: z.string(), sha256: z.string(), instances: z.number() }),
        settings: z.looseObject({ seed: z.number() }),
        prompts: z.looseObject({ source: z.string(), hash: z.string() }),
        tokenizer: z.string(),
        cells: z.array(
          z.looseObject({ task: z.string(), all: z.looseObject({ counts: z.looseObject({}) }) }),
        ),
        differences: z.array(z.looseObject({})),
        analyses: z.looseObject({ by_position: z.looseObject({}), by_length: z.looseObject({}) }),
      })
      .safeParse(value).success,
);

/** Returns the error for results that this program did not write. */
export function createResultsError(subject: string, reason: string, folder: string): DataError {
  return new DataError(
    `${subject} cannot be used: ${reason.replace(/\.$/, '')}. Write the results again from the stored answers: cupid eval --results-dir ${quotePath(folder)} --rescore`,
  );
}
