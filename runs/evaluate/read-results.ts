import { join } from 'node:path';
import { readParsedRows } from '../../data/readers/parquet-table';
import { describeRescore, readEvaluationResults } from '../../data/sets/results';
import { type PersonaFilter, requireChosen } from '../../data/sets/persona-filter';
import { evaluationRowSchema, ROW_KEY, type EvaluationRow } from '../../schemas/evaluation/evaluation';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { readStoredEvaluation, readTrialRows } from './outcomes';
import { computeResults } from './results';
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
  const results = await readEvaluationResults(folder);
  if (results === undefined) return undefined;
  const rows = join(folder, RESULTS.rows);
  return {
    results,
    isComplete: true,
    async *readTexts(extent) {
      const remedy = describeRescore(rows);
      if (extent === 'all') for await (const { row } of readParsedRows(rows, textSchema, remedy)) yield row;
      else for await (const { row } of readParsedRows(rows, comparedSchema, remedy)) yield row;
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
