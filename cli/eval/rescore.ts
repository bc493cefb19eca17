import { join, relative } from 'node:path';
import type { EvaluationFolder, WrittenResults } from '../../runs/evaluate/carry-out';
import { RESULTS, writeResults } from '../../runs/evaluate/results';
import { writeVerification } from '../../runs/evaluate/verification-results';
import { readStoredEvaluation, type StoredEvaluation } from '../../runs/evaluate/outcomes';
import { assertUnchanged } from '../../runs/folder/run-folder';
import { lockRunFolder } from '../../runs/folder/run-lock';
import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import { renderResults, renderFullResults } from './result-text';
import { buildSynthesizerSections } from '../../pages/report/tables/synthesizers';
import { quotePath } from '../../schemas/text/shell-text';
import { COMMAND, EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { print } from '../output';
import { renderOutputs } from '../terminal/outputs';
import { printVerification } from '../verify/results';
import type { ProgressView } from '../run/progress';

/** Rescores an evaluation from its stored answers. Returns the exit code. */
export async function rescoreEvaluation(
  options: Pick<CarryOutOptions, 'json'>,
  folder: EvaluationFolder,
  before: EvaluationPlan | undefined,
  compared: readonly StoredEvaluation[],
  view: ProgressView,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  const written = await writeEvaluation(options, folder, compared, view);
  view.hide();
  return written.print();
}

interface ShownResults extends WrittenResults {
  readonly print: () => number;
}

/** Writes the results of an evaluation, or of a verification, into its folder. */
export async function writeEvaluation(
  options: Pick<CarryOutOptions, 'json'>,
  folder: EvaluationFolder,
  compared: readonly StoredEvaluation[],
  view: ProgressView,
): Promise<ShownResults> {
  view.say('Writing the results.');
  const kept = await readStoredEvaluation(folder.store);
  if (kept.inputs.verifier !== undefined) {
    const written = await writeVerification(folder, kept);
    return {
      isOpen: written.isOpen,
      print: () => printVerification(options, folder, written, view),
    };
  }
  const written = await writeResults(folder, kept, compared, renderFullResults);
  const isOpen = written.results.cells.some(({ all }) => all.counts.open > 0);
  return {
    isOpen,
    print: () => printResults(options, folder, { ...written, isCompared: compared.length > 0 }, view),
  };
}

function printResults(
  options: Pick<CarryOutOptions, 'json'>,
  folder: EvaluationFolder,
  {
    results,
    placement,
    isCompared,
  }: Awaited<ReturnType<typeof writeResults>> & { readonly isCompared: boolean },
  view: ProgressView,
): number {
  const isMissing = results.cells.some(({ all }) => all.counts.missing + all.counts.open > 0);
  const code = isMissing || placement.withheld.length > 0 ? EXIT.withFailures : EXIT.done;
  if (options.json === true) {
    const { withheld, foreign } = placement;
    const report = { folder: folder.path, ...results, analyses: undefined, outputs: { foreign, withheld } };
    print(JSON.stringify({ ...report, calls: view.totals() }, null, 2));
    return code;
  }
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file));
  const again = `run ${COMMAND} eval --results-dir ${quotePath(shown('.') || '.')} --rescore. It calls no model.`;
  const lines = [
    ...renderResults(results),
    ...(isCompared && buildSynthesizerSections(results.analyses.synthesizers).length === 0
      ? [
          '--compare adds no table (figure 10): it needs data that different models generated, evaluated in the same setting.',
          '',
        ]
      : []),
    ...renderOutputs(placement, DESCRIPTIONS, shown, again),
  ];
  print(lines.join('\n'));
  return code;
}

const DESCRIPTIONS = {
  [RESULTS.summary]: 'every number with its interval, and the analyses',
  [RESULTS.rows]: 'a row for each instance, model, evaluator and task',
  [RESULTS.text]: 'all tables as text',
  [RESULTS.instances]: "a file for each instance, in the reference program's format",
};
