import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type HubName, parseHubName } from '../../data/hub/name';
import { type EvaluationPlan, hasEvaluationPlan, readEvaluationPlan } from '../../data/run/evaluation-plan';
import { readJsonAsWritten } from '../../data/outputs/as-written';
import { describeRescore, readEvaluationResults } from '../../data/sets/results';
import { DataError } from '../../data/store/data-error';
import { openRunStore } from '../../data/store/open-store';
import { findEntry } from '../../data/store/own-file';
import { evaluationFileSchema } from '../../schemas/evaluation/evaluation-run';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import type { PromptPack } from '../../schemas/run/prompts';

/** The part of an evaluation's results that other forms contain, and where it is from. */
export interface ExportedResults extends Pick<
  EvaluationResults,
  'simulated' | 'data' | 'bootstrap' | 'prompts' | 'cells' | 'memory'
> {
  /** Path of its rows, `results.parquet`. */
  readonly rows: string;
  readonly writtenAt: Date;
  /** Version of the program that evaluated; undefined if the folder does not say. */
  readonly codeVersion: string | undefined;
  /** Texts of the prompts; undefined if the folder does not have them. */
  readonly promptPack: PromptPack | undefined;
}

/**
 * Reads the numbers of an evaluation; its rows stay on the disk.
 * @throws DataError when the folder has no results, or a file is not as this program writes it
 */
export async function openResults(folder: string): Promise<ExportedResults> {
  const rows = await requireResults(folder, 'its scores are exported.');
  const summary = join(folder, RESULTS.summary);
  const results = await readEvaluationResults(folder);
  if (results === undefined) throw new DataError(`There is no ${summary}. ${describeRescore(summary)}`);
  return {
    ...results,
    rows,
    writtenAt: (await stat(summary)).mtime,
    codeVersion: await findCodeVersion(folder),
    promptPack: (await findPlan(folder))?.prompts,
  };
}

async function findCodeVersion(folder: string): Promise<string | undefined> {
  const path = join(folder, 'run.json');
  const schema = evaluationFileSchema.pick({ codeVersion: true });
  return (await readJsonAsWritten(schema, path, folder, describeRescore(path)))?.codeVersion;
}

/** Returns the name and the commit of evaluated data on the Hub; undefined for other data. */
export function findHubData({ source }: ExportedResults['data']): HubName | undefined {
  return source.startsWith('hub:') ? parseHubName(source.slice('hub:'.length)) : undefined;
}

/** Reads the plan of an evaluation. Returns undefined for a folder that has only its results. */
export async function findPlan(folder: string): Promise<EvaluationPlan | undefined> {
  const store = await openRunStore(folder);
  return (await hasEvaluationPlan(store)) ? readEvaluationPlan(store) : undefined;
}

/**
 * Returns the path of an evaluation's rows.
 * @param purpose use of the evaluation, to end a sentence
 * @throws DataError when the folder has no results
 */
export async function requireResults(folder: string, purpose: string): Promise<string> {
  const path = join(folder, RESULTS.rows);
  if ((await findEntry(path, folder))?.isFile() === true) return path;
  throw new DataError(
    `${folder} is not a results folder: it has no ${RESULTS.rows}. Name the --results-dir of a cupid eval: ${purpose}`,
  );
}
