import { join, relative } from 'node:path';
import type { RunFolder } from '../../runs/folder/run-folder';
import { lockRunFolder } from '../../runs/folder/run-lock';
import { FAILURE_TEXTS } from '../../pages/explore/worded-filter';
import { readFailedPersonas } from '../../data/run/artifacts';
import { placeRunOutputs } from '../../data/run/outputs';
import type { OutputPlacement } from '../../data/run/place-outputs';
import type { RunFile } from '../../schemas/run/run';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { print, printResult } from '../output';
import { renderOutputs } from '../terminal/outputs';
import type { ProgressView } from '../run/progress';
import { groupBy } from '../../rules/group-by';
import { formatCount, formatFirst, pluralize } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { renderRetryCommands } from '../retry-lines';
import type { FailedWork } from '../../schemas/run/outcome';

/** Prints the result of a finished run, and why nothing is done. Writes missing outputs again. Returns the exit code. */
export async function printUnchanged(
  options: CarryOutOptions,
  folder: RunFolder,
  run: RunFile,
  reason: string,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  const placement = await placeRunOutputs(folder);
  if (options.json !== true) {
    const { writtenFiles } = placement;
    const outcome =
      writtenFiles.length === 0 ? 'Nothing was changed.' : `Written again: ${writtenFiles.join(', ')}.`;
    print(`${reason}. ${outcome}`);
  }
  return await printSynthesisResult(options, folder, { run, placement });
}

/** Prints the result of a finished run on standard output. */
export async function printSynthesisResult(
  options: CarryOutOptions,
  folder: Pick<RunFolder, 'path' | 'store'>,
  { run, placement }: { readonly run: RunFile; readonly placement: OutputPlacement },
  view?: ProgressView,
): Promise<number> {
  const failures = (await readFailedPersonas(folder.store)).flat();
  const formatPath = (file: string) => relative(process.cwd(), join(folder.path, file)) || '.';
  const result = {
    run: run.id,
    folder: folder.path,
    simulated: run.simulated,
    counts: run.counts,
    outputs: placement,
    failures,
    ...(view && { calls: view.totals() }),
  };
  printResult(options, result, () => [
    ...renderCounts(run, formatPath('.')),
    ...renderOutputs(placement, hasData(run.counts) ? DESCRIPTIONS : {}, formatPath, AGAIN),
    ...renderWarnings(run, failures, formatPath),
  ]);
  // A failure may lack its record.
  const failed = Math.max(failures.length, run.counts?.failedPersonas ?? 0);
  return failed === 0 && placement.withheldFiles.length === 0 ? EXIT.done : EXIT.withFailures;
}

const AGAIN = 'repeat the cupid synth command of this run, without --regenerate. It calls no model.';

const DESCRIPTIONS = {
  'CUPID-Unverified/test.parquet': 'the benchmark instances',
  'CUPID-Raw/test.parquet': 'personas, context factors, sessions and dialogues',
  'provenance.parquet': 'the origin of each instance',
};

/** Renders the counts of a finished run for a terminal. @param folder as the user names it */
export function renderCounts({ counts }: Pick<RunFile, 'counts'>, folder: string): string[] {
  const {
    personas = 0,
    instances = 0,
    failedPersonas = 0,
    excludedPersonas = 0,
    unsatisfiedDialogues = 0,
  } = counts ?? {};
  const failing = failedPersonas === 0 ? 'no failures' : `${formatCount(failedPersonas, 'persona')} failed`;
  return listPresent(
    `${formatCount(personas, 'persona')}, ${formatCount(instances, 'instance')}, ${failing}.`,
    !hasData(counts) && 'No persona is complete, so the data sets have no rows.',
    excludedPersonas !== 0 &&
      `${formatCount(excludedPersonas, 'persona')} ${pluralize(excludedPersonas, 'was', 'were')} left out, because the user was never satisfied in one of its dialogues.`,
    unsatisfiedDialogues !== 0 &&
      `${formatCount(unsatisfiedDialogues, 'dialogue')} ended without satisfying the user, at the turn limit or because ${pluralize(unsatisfiedDialogues, 'it', 'they')} stalled. ${pluralize(unsatisfiedDialogues, 'It is', 'They are')} kept and marked unsatisfied. To list ${pluralize(unsatisfiedDialogues, 'it', 'them')}, run cupid explore ${quotePath(folder)} and choose Failure: ${FAILURE_TEXTS.unsatisfied}; in files, see unsatisfied_sessions in provenance.parquet.`,
  );
}

/** Renders the warnings about a run, each with its remedy, and the next step. @param formatPath formats a path of the run folder for the user */
function renderWarnings(
  { simulated, counts }: RunFile,
  failures: readonly FailedWork[],
  formatPath: (file: string) => string,
): string[] {
  const folder = formatPath('.');
  return listPresent(
    simulated && 'A model of this run was simulated: use this data for testing only.',
    ...renderFailures(failures),
    ...(failures.length === 0
      ? []
      : [
          `Show details: cupid failures ${quotePath(folder)}`,
          ...renderRetryCommands(
            failures,
            folder,
            ' (add --model SPEC to use another model in place of the one that failed)',
          ),
        ]),
    hasData(counts) && `Look at it: cupid explore ${quotePath(folder)}`,
  );
}

/** Renders failures, those with the same cause in one line. */
export function renderFailures(failures: readonly FailedWork[]): string[] {
  const causes = groupBy(failures, ({ step = '', kind, cause }) => JSON.stringify([step, kind, cause]));
  return [...causes.values()].flatMap((sameCause) => {
    const [first] = sameCause;
    if (first === undefined) return [];
    const { step, kind, cause } = first;
    const call = step === undefined ? '' : `, step ${step}`;
    return [`Failed: ${formatPlaces(sameCause)}${call} (${kind}): ${cause}`];
  });
}

/** Names failed work: `persona 3, session 5`, or how many of them there are, with the first ones as 'cupid retry --only' takes them. */
function formatPlaces(failures: readonly FailedWork[]): string {
  const [first] = failures;
  // Two calls of a persona, such as two checklists, may fail alike.
  const names = [
    ...new Set(
      failures.map(({ persona, session }) => (session === undefined ? persona : `${persona}/s${session}`)),
    ),
  ];
  if (first === undefined || names.length === 1) {
    const { persona = 0, session } = first ?? {};
    return `persona ${persona}${session === undefined ? '' : `, session ${session}`}`;
  }
  const noun = failures.some(({ session }) => session === undefined) ? 'persona' : 'dialogue';
  return `${formatCount(names.length, noun)} (${formatFirst(names, PLACES_NAMED)})`;
}

const PLACES_NAMED = 8;

/** Returns whether a finished run has an instance or a record; unknown counts as yes. */
function hasData(counts: RunFile['counts']): boolean {
  return counts === undefined || counts.instances > 0 || counts.personas > 0;
}
