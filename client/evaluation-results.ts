import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVALUATION_COLUMNS } from '../data/columns';
import { writeParquet } from '../data/parquet';
import { folderStore, writeAtomically } from '../data/store';
import { compareContexts } from '../rules/analyses/contexts';
import { resultsByLength } from '../rules/analyses/lengths';
import { compareMatchers } from '../rules/analyses/matchers';
import { overlongShares } from '../rules/analyses/overlong';
import { resultsByPosition } from '../rules/analyses/positions';
import { compareSynthesizers } from '../rules/analyses/synthesizers';
import { compareTasks } from '../rules/analyses/tasks';
import { scoreRow } from '../rules/evaluation-rows';
import { summarize, type ResultsSummary } from '../rules/scores/summary';
import { TOKENIZER } from '../rules/tokens';
import type { EvaluationRow, ScoreRow } from '../schemas/evaluation';
import type { EvaluationInputs } from '../schemas/evaluation-run';
import { anySimulated } from '../schemas/model-spec';
import { keptEvaluation, trialRows, type KeptEvaluation } from './evaluation-rows';
import { studyResults, type StudyResults } from './studies';

/** The file names of what an evaluation comes to, in its folder. */
export const RESULTS = {
  summary: 'results.json',
  rows: 'results.parquet',
  text: 'results.txt',
  instances: 'instances',
} as const;

/** `results.json`: every number of an evaluation, and what it was made by. */
export interface EvaluationResults extends ResultsSummary {
  readonly format: 1;
  /** True when the data, or any model of the evaluation, are simulated: the numbers then say nothing of a real model. */
  readonly simulated: boolean;
  readonly data: EvaluationInputs['data'];
  readonly settings: EvaluationInputs['settings'];
  readonly prompts: EvaluationInputs['prompts'];
  /** SPECs, numbered from 1. */
  readonly models: readonly string[];
  readonly evaluators: readonly string[];
  /** What lengths in tokens are counted with. */
  readonly tokenizer: string;
  readonly analyses: Analyses & StudyResults;
}

/** The paper's analyses, as data. */
interface Analyses {
  readonly by_position: ReturnType<typeof resultsByPosition>;
  readonly by_length: ReturnType<typeof resultsByLength>;
  readonly tasks: ReturnType<typeof compareTasks>;
  readonly matchers: ReturnType<typeof compareMatchers>;
  readonly contexts: ReturnType<typeof compareContexts>;
  readonly synthesizers: ReturnType<typeof compareSynthesizers>;
  readonly overlong_inferences: ReturnType<typeof overlongShares>;
}

/**
 * Writes an evaluation's results into its folder, from what its store keeps: `results.parquet`, an instance's JSON each, and
 * `results.json`, which comes last. One trial is in memory at a time, and of the others only numbers.
 * @param others folders of results on other data, for the table of tested models by synthesizers
 */
export async function writeResults(
  folder: string,
  kept: KeptEvaluation,
  others: readonly string[],
): Promise<EvaluationResults> {
  const rows: ScoreRow[] = [];
  await rm(join(folder, RESULTS.instances), { recursive: true, force: true });
  await writeParquet(join(folder, RESULTS.rows), EVALUATION_COLUMNS, writtenRows(folder, kept, rows));
  const results = await resultsOf(kept, rows, others);
  await writeAtomically(join(folder, RESULTS.summary), `${JSON.stringify(results, null, 2)}\n`);
  return results;
}

/** The rows on their way to the table: the instances' files are written, and the numbers remembered. */
async function* writtenRows(
  folder: string,
  kept: KeptEvaluation,
  rows: ScoreRow[],
): AsyncGenerator<EvaluationRow> {
  for await (const { results } of trialRows(kept)) {
    await writeInstance(
      join(folder, RESULTS.instances),
      results.map(({ row }) => row),
    );
    for (const { row } of results) {
      rows.push(scoreRow(row));
      yield row;
    }
  }
}

async function resultsOf(
  kept: KeptEvaluation,
  rows: readonly ScoreRow[],
  others: readonly string[],
): Promise<EvaluationResults> {
  const { data, settings, prompts, models, evaluators } = kept.inputs;
  const { seed, referenceCompatible } = settings;
  return {
    format: 1,
    simulated: isSimulated(kept.inputs),
    data,
    settings,
    prompts,
    models,
    evaluators,
    tokenizer: TOKENIZER,
    ...summarize(rows, { seed, referenceCompatible }),
    analyses: {
      by_position: resultsByPosition(rows),
      by_length: resultsByLength(rows),
      tasks: compareTasks(rows),
      matchers: compareMatchers(rows),
      contexts: compareContexts(rows),
      synthesizers: compareSynthesizers([...named(rows, data), ...(await rowsOf(others))]),
      overlong_inferences: overlongShares(rows),
      ...(await studyResults(kept)),
    },
  };
}

export function isSimulated({ data, models, evaluators }: EvaluationInputs): boolean {
  return data.simulated === true || anySimulated([...models, ...evaluators]);
}

/** The rows of other folders of results. */
async function rowsOf(folders: readonly string[]): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for (const folder of folders) {
    const kept = await keptEvaluation(folderStore(join(folder, '.cupid')));
    for await (const { results } of trialRows(kept)) {
      rows.push(
        ...named(
          results.map(({ row }) => scoreRow(row)),
          kept.inputs.data,
        ),
      );
    }
  }
  return rows;
}

/** Data that do not tell their synthesizer stand for it themselves. */
function named(rows: readonly ScoreRow[], { source }: EvaluationInputs['data']): ScoreRow[] {
  return rows.map((row) => ({ ...row, synthesizer: row.synthesizer ?? source }));
}

/** Writes the files of one trial in the reference program's form, a folder for each evaluator. */
async function writeInstance(folder: string, rows: readonly EvaluationRow[]): Promise<void> {
  const byEvaluator = new Map<string, EvaluationRow[]>();
  for (const row of rows) {
    if (row.state === 'open') continue;
    const place = join(fileName(row.model), row.context, fileName(row.evaluator));
    byEvaluator.set(place, [...(byEvaluator.get(place) ?? []), row]);
  }
  for (const [place, own] of byEvaluator) {
    const [first] = own;
    if (first === undefined) continue;
    await mkdir(join(folder, place), { recursive: true });
    const file = join(folder, place, `${fileName(`${first.persona_id}+${first.instance_type}`)}.json`);
    // Not worth a sync each: it is made again from what is kept whenever the results are written.
    await writeFile(file, `${JSON.stringify(Object.assign({}, ...own.map(referenceForm)), null, 2)}\n`);
  }
}

/** A name as a file can have it: what separates folders, or stands for one, is spelled out. */
function fileName(name: string): string {
  return name
    .replaceAll(/[/\\:*?"<>|%\p{Cc}]/gu, (sign) => encodeURIComponent(sign))
    .replace(/^\.+$/, 'dots');
}

function referenceForm(row: EvaluationRow): object {
  if (row.task === 'generation') {
    const { score, analysis } = row;
    const alignment = score === null ? null : { score, analysis };
    return { generation: { user_request: row.current_request, ai_response: row.response, alignment } };
  }
  const inferred = row.inferred_checklist ?? [];
  return {
    inference: {
      inferred: { preference: row.inferred_preference, checklist: row.inferred_checklist },
      groundtruth: { preference: row.true_preference, checklist: row.true_checklist },
      match: {
        infer_to_gt: labelled(inferred, row.inferred_labels),
        gt_to_infer: labelled(row.true_checklist, row.true_labels),
      },
    },
  };
}

function labelled(checklist: readonly string[], labels: readonly string[] | null): object[] | null {
  return labels?.map((label, at) => ({ index: at + 1, entry: checklist[at] ?? '', label })) ?? null;
}
