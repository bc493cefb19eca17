import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashText } from '../../data/store/files';
import { useTemporaryDirectory } from '../../data/store/directories';
import { EVALUATION_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { type OutputFile, type OutputPlacement, placeOutputs } from '../../data/run/place-outputs';
import { formatPythonJson } from '../../data/prompts/python-json';
import { computeAnalyses } from '../../rules/analyses/analyses';
import { compareDataSets } from '../../rules/analyses/data-sets';
import { getCellKey } from '../../rules/analyses/groups';
import { computeMemoryShares } from '../../rules/analyses/memory';
import { listSharedNames } from '../../rules/analyses/shared-names';
import { findErrors } from '../../rules/analyses/stress';
import { getScoreRow } from '../../rules/trials/rows';
import { groupBy } from '../../rules/group-by';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { summarize } from '../../rules/scores/summary';
import { TOKENIZER } from '../../rules/statistics/tokens';
import type { Cell, EvaluationRow, ScoreRow } from '../../schemas/evaluation/evaluation';
import { RESULTS, RESULTS_FORMAT, type EvaluationResults } from '../../schemas/evaluation/results';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import { formatModelName, hasSimulated } from '../../schemas/model/model-spec';
import { listEvaluators } from '../../rules/trials/cells';
import { renderFullResults } from '../tables/results-text';
import { compareWithPaper } from './paper-setup';
import { readTrialRows, type StoredEvaluation, type TrialRows } from './outcomes';
import type { RunFolder } from '../folder/run-folder';
import { buildLocatedRow, readLocatedRows, type LocatedRow } from './located-rows';
import { countShortcuts } from './shortcuts';
import { readStudyResults } from './studies';

/**
 * Writes an evaluation's results from its store into its folder: a JSON file per instance, then `results.parquet`, `results.txt` and
 * `results.json`. Holds a few trials in memory at a time, and only numbers of the others.
 * @param otherEvaluations evaluations on other data, for the table of tested models by synthesizers
 */
export async function writeResults(
  folder: Pick<RunFolder, 'path' | 'store' | 'scratch'>,
  evaluation: StoredEvaluation,
  otherEvaluations: readonly StoredEvaluation[],
): Promise<{ readonly results: EvaluationResults; readonly placement: OutputPlacement }> {
  return useTemporaryDirectory(
    folder.scratch,
    'results-',
    async (directory) => {
      const outputOf = (path: string): OutputFile => ({ path, newFile: join(directory, path) });
      const rows: LocatedRow[] = [];
      const instances = new Map<string, OutputFile>();
      await writeParquet(
        join(directory, RESULTS.rows),
        EVALUATION_COLUMNS,
        writeRows(directory, evaluation, rows, instances),
      );
      const results = await buildEvaluationResults(evaluation, rows, otherEvaluations);
      await writeFile(join(directory, RESULTS.text), `${renderFullResults(results).join('\n')}\n`);
      await writeFile(join(directory, RESULTS.summary), `${JSON.stringify(results, null, 2)}\n`);
      const placement = await placeOutputs(folder.path, [
        ...[...instances.values()].map((output) => [output]),
        [RESULTS.rows, RESULTS.text, RESULTS.summary].map(outputOf),
      ]);
      return { results, placement };
    },
    folder.path,
  );
}

/** Computes the results of a stored evaluation without writing anything. */
export async function computeResults(evaluation: StoredEvaluation): Promise<EvaluationResults> {
  return buildEvaluationResults(evaluation, await readLocatedRows(evaluation), []);
}

/** Passes rows on to the table, writes the instances' files, and collects numbers and paths. */
async function* writeRows(
  folder: string,
  evaluation: StoredEvaluation,
  rows: LocatedRow[],
  instances: Map<string, OutputFile>,
): AsyncGenerator<EvaluationRow> {
  const foldersOf = createFolderNamer(evaluation.inputs);
  for await (const trial of readTrialRows(evaluation)) {
    for (const output of await writeInstance(folder, trial.results, foldersOf))
      instances.set(output.path, output);
    for (const result of trial.results) {
      rows.push(buildLocatedRow(evaluation, trial, result));
      yield result.row;
    }
  }
}

async function buildEvaluationResults(
  evaluation: StoredEvaluation,
  rows: readonly LocatedRow[],
  otherEvaluations: readonly StoredEvaluation[],
): Promise<EvaluationResults> {
  const { data, settings, prompts, models, evaluators, memory } = evaluation.inputs;
  const { seed, referenceCompatible } = settings;
  const summary = summarize(rows, { seed, referenceCompatible });
  const rowsByCell = groupBy(rows, (row) => JSON.stringify(getCellKey(row)));
  const otherData = await Promise.all(otherEvaluations.map(readOtherRows));
  // Samples of all rows say nothing of some.
  const studies = evaluation.filter === undefined ? await readStudyResults(evaluation, rows) : {};
  return {
    format: RESULTS_FORMAT,
    simulated: isSimulated(evaluation.inputs),
    data,
    settings,
    prompts: { ...prompts, built_in: evaluation.prompts.builtIn ?? [] },
    without_relevant_sessions: new Set(
      rows.flatMap((row) => (row.relevant_position === null ? [buildInstanceKey(row)] : [])),
    ).size,
    ...(referenceCompatible ? { counted_as_zero: countZeroes(rows) } : {}),
    ...(memory === undefined
      ? {}
      : {
          memory: {
            name: formatModelName(memory.spec),
            budget_tokens: memory.budgetTokens,
            ...computeMemoryShares(rows, memory.budgetTokens),
          },
        }),
    models,
    evaluators,
    tokenizer: TOKENIZER,
    ...summary,
    cells: summary.cells.map((cell) => {
      const { scored, context_length, missing, open } = cell.all.counts;
      const instances = scored + context_length + missing + open;
      const cellRows = rowsByCell.get(JSON.stringify(getCellKey(cell))) ?? [];
      const sharedNames = listSharedNames(
        cell,
        cellRows.flatMap(({ answers }) => answers),
      );
      return {
        ...cell,
        setup: compareWithPaper({ ...cell, instances }, data, evaluation.prompts, settings.steps),
        ...findErrors(studies.stress, cell),
        ...(sharedNames.length > 0 && { shared_names: sharedNames }),
      };
    }),
    analyses: {
      ...computeAnalyses(
        rows,
        [...nameData(rows, data), ...otherData.flatMap((dataSet) => nameData(dataSet.rows, dataSet))],
        memory?.budgetTokens,
      ),
      data_sets: compareDataSets(rows, otherData, summary.bootstrap),
      ...(otherEvaluations.length > 0 && {
        shortcuts: await countShortcuts([evaluation, ...otherEvaluations]),
      }),
      ...studies,
    },
  };
}

function countZeroes(rows: readonly ScoreRow[]): NonNullable<EvaluationResults['counted_as_zero']> {
  const scored = rows.filter(({ state }) => state === 'scored');
  const inferences = scored.filter(({ task }) => task === 'inference');
  return {
    empty_inferences: inferences.filter((row) => row.n_predicted === 0).length,
    failed_matches: inferences.filter((row) => row.n_predicted !== 0 && row.inferred_labels?.length === 0)
      .length,
    zero_scores: scored.filter(({ score }) => score === 0).length,
  };
}

export function isSimulated({ data, cells, verifier }: EvaluationInputs): boolean {
  const specs = [...cells.flatMap((cell) => [cell.model, ...listEvaluators(cell)]), verifier];
  return data.simulated === true || hasSimulated(specs.filter((spec) => spec !== undefined));
}

async function readOtherRows(evaluation: StoredEvaluation): Promise<{ source: string; rows: ScoreRow[] }> {
  const rows: ScoreRow[] = [];
  for await (const { results } of readTrialRows(evaluation)) {
    rows.push(...results.map(({ row }) => getScoreRow(row)));
  }
  return { source: evaluation.inputs.data.source, rows };
}

/** Names the data of rows without a synthesizer by their source. */
function nameData(
  rows: readonly ScoreRow[],
  { source }: Pick<EvaluationInputs['data'], 'source'>,
): ScoreRow[] {
  return rows.map((row) => ({ ...row, synthesizer: row.synthesizer ?? source }));
}

/**
 * Returns a function that names the folder of a cell's evaluator: both tasks share its files. An evaluator that matched the items of
 * several decomposers, or in both forms, has a folder for each.
 */
function createFolderNamer({ cells }: EvaluationInputs): (cell: Cell, row: EvaluationRow) => string {
  const cellsByMatchers = groupBy(cells, formatMatchers);
  return (cell, { evaluator, evaluator_form, decomposer }) =>
    (cellsByMatchers.get(formatMatchers(cell)) ?? []).length < 2
      ? evaluator
      : `${evaluator} (${evaluator_form}, decomposed by ${decomposer})`;
}

/** Formats a key that is equal for cells that differ only in decomposer or form of matching. */
function formatMatchers(cell: Cell): string {
  return JSON.stringify([cell.task, cell.model, cell.context, listEvaluators(cell).at(-1)]);
}

/** Writes the files of one trial in the reference program's form, one for each evaluator. */
async function writeInstance(
  folder: string,
  results: TrialRows['results'],
  folderOf: (cell: Cell, row: EvaluationRow) => string,
): Promise<OutputFile[]> {
  const byPath = new Map<string, EvaluationRow[]>();
  for (const { cell, row } of results) {
    if (row.state === 'open') continue;
    const file = `${buildFileName(`${row.persona_id}+${row.instance_type}`)}.json`;
    const names = [
      RESULTS.instances,
      buildFileName(row.model),
      row.context,
      buildFileName(folderOf(cell, row)),
      file,
    ];
    const path = names.join('/');
    byPath.set(path, [...(byPath.get(path) ?? []), row]);
  }
  const outputs: OutputFile[] = [];
  for (const [path, rows] of byPath) {
    const text = `${formatPythonJson(Object.assign({}, ...rows.map(buildReferenceForm)))}\n`;
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    outputs.push({ path, newFile: file, sha256: hashText(text) });
  }
  return outputs;
}

/** Converts a name to a valid file name: escapes separators and special names, and cuts long ones. */
function buildFileName(name: string): string {
  const spelled = name
    .replaceAll(/[/\\:*?"<>|%\p{Cc}]/gu, (sign) => encodeURIComponent(sign))
    .replace(/^\.+$/, 'dots');
  if (Buffer.byteLength(spelled) <= LONGEST_NAME) return spelled;
  const hash = hashText(name).slice(0, 16);
  return `${Array.from(spelled).slice(0, 40).join('')}…${hash}`;
}

/** Bytes, without an extension: file systems allow 255. */
const LONGEST_NAME = 200;

function buildReferenceForm(row: EvaluationRow): object {
  if (row.task === 'choice') {
    const { options, true_option, chosen_option, choice } = row;
    return { choice: { user_request: row.current_request, options, true_option, chosen_option, choice } };
  }
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
        infer_to_gt: labelChecklist(inferred, row.inferred_labels),
        gt_to_infer: labelChecklist(row.true_checklist, row.true_labels),
      },
    },
  };
}

function labelChecklist(checklist: readonly string[], labels: readonly string[] | null): object[] | null {
  return labels?.map((label, at) => ({ index: at + 1, entry: checklist[at] ?? '', label })) ?? null;
}
