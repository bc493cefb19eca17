import { join, relative } from 'node:path';
import { type RunFolder } from '../../runs/folder/run-folder';
import { lockRunFolder } from '../../runs/folder/run-lock';
import { readFailedPersonas } from '../../data/run/artifacts';
import { placeRunOutputs } from '../../data/run/outputs';
import type { OutputPlacement } from '../../data/run/place-outputs';
import type { RunFile } from '../../schemas/run/run';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { print } from '../output';
import { renderUnplacedOutputs } from '../terminal/outputs';
import type { ProgressView } from '../run/progress';
import { renderResults } from './result-text';

/** Prints the result of a finished run, and why nothing is done. Missing outputs are written again. Returns the exit code. */
export async function printUnchanged(
  options: CarryOutOptions,
  folder: RunFolder,
  run: RunFile,
  why: string,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  const placement = await placeRunOutputs(folder);
  if (options.json !== true) {
    const { written } = placement;
    const done = written.length === 0 ? 'Nothing was changed.' : `Written again: ${written.join(', ')}.`;
    print(`${why}. ${done}`);
  }
  return printResult(options, folder, { run, placement });
}

/** Prints the result of a finished run on standard output. */
export async function printResult(
  options: CarryOutOptions,
  folder: Pick<RunFolder, 'path' | 'store'>,
  { run, placement }: { readonly run: RunFile; readonly placement: OutputPlacement },
  view?: ProgressView,
): Promise<number> {
  const failures = (await readFailedPersonas(folder.store)).flat();
  const isComplete = failures.length === 0 && placement.withheld.length === 0;
  const code = isComplete ? EXIT.done : EXIT.withFailures;
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file)) || '.';
  if (options.json === true) {
    const result = {
      run: run.id,
      folder: folder.path,
      simulated: run.simulated,
      counts: run.counts,
      outputs: placement,
      failures,
    };
    const calls = view === undefined ? {} : { calls: view.totals() };
    print(JSON.stringify({ ...result, ...calls }, null, 2));
    return code;
  }
  const lines = [...renderResults(run, failures, shown), ...renderUnplacedOutputs(placement, shown, AGAIN)];
  print(lines.join('\n'));
  return code;
}

const AGAIN = 'repeat the cupid synth command of this run, without --redo. It calls no model.';
