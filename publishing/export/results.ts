import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { type HubName, parseHubName } from '../../data/hub/name';
import { type EvaluationPlan, hasEvaluationPlan, readEvaluationPlan } from '../../data/run/evaluation-plan';
import { readAsWritten } from '../../data/outputs/as-written';
import { DataError } from '../../data/store/data-error';
import { openRunStore } from '../../data/store/open-store';
import { findEntry } from '../../data/store/own-file';
import { evaluationRowSchema } from '../../schemas/evaluation/evaluation';
import { evaluatedDataSchema, evaluationFileSchema } from '../../schemas/evaluation/evaluation-run';
import { mapValues } from '../../schemas/map-values';
import type { PromptPack } from '../../schemas/run/prompts';
import { parseJson } from '../../schemas/text/issues';
import { quotePath } from '../../schemas/text/shell-text';

/** Averages of the tasks, by their names in `results.json`. */
const AVERAGES = {
  precision: z.number().nullish(),
  recall: z.number().nullish(),
  f1: z.number().nullish(),
  average_score: z.number().nullish(),
  accuracy: z.number().nullish(),
  paired_accuracy: z.number().nullish(),
};
export type AverageName = keyof typeof AVERAGES;

const intervalSchema = z.object({ low: z.number(), high: z.number() }).nullish();

const averagesSchema = z
  .object({
    ...AVERAGES,
    n_instances: z.number().int(),
    intervals: z.object(mapValues(AVERAGES, () => intervalSchema)),
  })
  .nullish();

const cellSchema = evaluationRowSchema
  .pick({ task: true, model: true, context: true, evaluator: true, evaluator_form: true, decomposer: true })
  .extend({
    all: z.object({
      counts: z.object({
        missing_by: z.array(z.object({ kind: z.string().nullable(), count: z.number().int() })),
      }),
      inference: averagesSchema,
      generation: averagesSchema,
      choice: averagesSchema,
    }),
  });

/** A column of an evaluation's results. */
export type ExportedCell = z.infer<typeof cellSchema>;

/** The part of `results.json` that other forms contain. */
const resultsSchema = z.object({
  simulated: z.boolean(),
  data: evaluatedDataSchema,
  bootstrap: z.object({ resamples: z.number().int() }),
  prompts: z.object({ hash: z.string() }),
  cells: z.array(cellSchema),
});

/** Results of an evaluation, as its folder has them. */
export interface ExportedResults extends z.infer<typeof resultsSchema> {
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
  const summary = join(folder, 'results.json');
  const results = await readFolderJson(resultsSchema, summary, folder);
  if (results === undefined) throw new DataError(`There is no ${summary}. ${describeRescore(summary)}`);
  const run = await readFolderJson(
    evaluationFileSchema.pick({ codeVersion: true }),
    join(folder, 'run.json'),
    folder,
  );
  return {
    ...results,
    rows,
    writtenAt: (await stat(summary)).mtime,
    codeVersion: run?.codeVersion,
    promptPack: (await findPlan(folder))?.prompts,
  };
}

/** Returns the name and the commit of evaluated data on the Hub; undefined for other data. */
export function findHubData({ source }: ExportedResults['data']): HubName | undefined {
  return source.startsWith('hub:') ? parseHubName(source.slice('hub:'.length)) : undefined;
}

/** Reads the plan of an evaluation. Returns undefined for a folder that has only its results. */
export async function findPlan(folder: string): Promise<EvaluationPlan | undefined> {
  const store = await openRunStore(folder);
  return (await hasEvaluationPlan(store)) ? await readEvaluationPlan(store) : undefined;
}

async function readFolderJson<T>(schema: z.ZodType<T>, path: string, folder: string): Promise<T | undefined> {
  const text = await readAsWritten(path, folder);
  if (text === undefined) return undefined;
  const { value, problem } = parseJson(schema, path, text);
  if (problem !== undefined) throw new DataError(`${problem} ${describeRescore(path)}`);
  return value;
}

/**
 * Returns the path of an evaluation's rows.
 * @param purpose use of the evaluation, to end a sentence
 * @throws DataError when the folder has no results
 */
export async function requireResults(folder: string, purpose: string): Promise<string> {
  const path = join(folder, 'results.parquet');
  if ((await findEntry(path, folder))?.isFile() === true) return path;
  throw new DataError(
    `${folder} is not a results folder: it has no results.parquet. Name the --results-dir of a cupid eval: ${purpose}`,
  );
}

/** Describes how to write results again that are not in this program's form. @param file path of one of them */
export function describeRescore(file: string): string {
  return `Write the results again from the stored answers: cupid eval --results-dir ${quotePath(dirname(file))} --rescore`;
}
