import { join, relative } from 'node:path';
import type { EvaluationFolder, WrittenResults } from '../../evaluations/carry-out';
import { RESULTS, writeResults, type EvaluationResults } from '../../evaluations/results';
import { readStoredEvaluation, type StoredEvaluation } from '../../evaluations/outcomes';
import { assertUnchanged, lockRunFolder } from '../../runs/folder/run-folder';
import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import { renderResults, renderFullResults } from './result-text';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { print } from '../output';
import { renderUnplacedOutputs } from '../text/outputs';
import type { ProgressView } from '../run/progress';

/** Computes the results again from the stored answers. Returns the exit code. */
export async function rescoreEvaluation(
  options: Pick<CarryOutOptions, 'json'>,
  folder: EvaluationFolder,
  before: EvaluationPlan | undefined,
  compared: readonly StoredEvaluation[],
  view: ProgressView,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  const written = await writeEvaluation(folder, compared, view);
  view.hide();
  return printResults(options, folder, written, view);
}

/** Writes the results into the evaluation's folder. */
export async function writeEvaluation(
  folder: EvaluationFolder,
  compared: readonly StoredEvaluation[],
  view: ProgressView,
): Promise<WrittenResults> {
  view.say('Writing the results.');
  return writeResults(folder, await readStoredEvaluation(folder.store), compared, renderText);
}

function renderText(results: EvaluationResults): string {
  return `${renderFullResults(results).join('\n')}\n`;
}

/** Prints the results. Returns the exit code. */
export function printResults(
  options: Pick<CarryOutOptions, 'json'>,
  folder: EvaluationFolder,
  { results, placed }: WrittenResults,
  view: ProgressView,
): number {
  const isMissing = results.cells.some(({ all }) => all.counts.missing + all.counts.open > 0);
  const code = isMissing || placed.withheld.length > 0 ? EXIT.withFailures : EXIT.done;
  if (options.json === true) {
    const { withheld, foreign } = placed;
    const report = { folder: folder.path, ...results, analyses: undefined, outputs: { foreign, withheld } };
    print(JSON.stringify({ ...report, calls: view.totals() }, null, 2));
    return code;
  }
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file));
  const again = `run cupid eval --results-dir ${shown('.') || '.'} --rescore. It calls no model.`;
  const lines = [
    ...renderResults(results),
    ...Object.values(RESULTS).map((name) => `  ${shown(name)}  ${DESCRIPTIONS[name]}`),
    ...renderUnplacedOutputs(placed, shown, again),
  ];
  print(lines.join('\n'));
  return code;
}

const DESCRIPTIONS: Readonly<Record<(typeof RESULTS)[keyof typeof RESULTS], string>> = {
  'results.json': 'every number with its interval, and the analyses',
  'results.parquet': 'a row for each instance, model, evaluator and task',
  'results.txt': 'all tables as text',
  instances: "a file for each instance, in the reference program's format",
};
