import { setTimeout as wait } from 'node:timers/promises';
import { readOpenBatches } from '../../data/run/batches';
import { formatCount } from '../../schemas/text/count-text';
import type { SteeringRequest } from '../../engine/limits/steering';
import { cancelRun, steerRun } from '../../runs/control/steer';
import { type FoundRun, createRunFinder } from '../../runs/folder/find-run';
import type { OpenRun } from '../../runs/folder/run-folder';
import { lockRunFolder } from '../../runs/folder/run-lock';
import { formatCommandOf } from '../command-line';
import { EXIT, UsageError } from '../exit';
import { print, printMessage } from '../output';
import { renderSteeringChange } from './change-text';
import type { SteeringOptions } from '../options';
import { parseSteering } from './steering';

interface SteerOptions {
  readonly profile?: string;
}

interface SetOptions extends SteerOptions, SteeringOptions {
  readonly concurrency?: number;
}

/** `cupid pause`: no further call is made until `cupid resume`. Returns the exit code. */
export async function pause(run: string, options: SteerOptions): Promise<number> {
  return steerNamedRun(run, options, async () => ({ paused: true }));
}

/** `cupid resume`: lifts `pause`. Returns the exit code. */
export async function resume(run: string, options: SteerOptions): Promise<number> {
  return steerNamedRun(run, options, async () => ({ paused: false }));
}

/** `cupid set`: changes concurrency, budget, rates, tiers or the model table. Returns the exit code. */
export async function set(run: string, options: SetOptions): Promise<number> {
  const { concurrency, rate, profile: _, ...others } = options;
  if ([concurrency, rate, ...Object.values(others)].every((wanted) => wanted === undefined)) {
    throw new UsageError(
      'Nothing to set. Give one or more of --concurrency, --budget, --rate, --models, --tier and --tier-fallback.',
    );
  }
  const wantedOf = async ({ models, name }: FoundRun): Promise<SteeringRequest> => {
    if (models.length === 0 && rate?.some(({ spec }) => spec === undefined) === true) {
      throw new UsageError(`The models of ${name} are not known. Start each --rate with a model SPEC.`);
    }
    const change = await parseSteering(options, models);
    return concurrency === undefined ? change : { ...change, concurrency };
  };
  return steerNamedRun(run, options, wantedOf);
}

/** `cupid cancel`: ends a run where it stands; all that was answered is kept. Returns the exit code. */
export async function cancel(run: string, options: SteerOptions): Promise<number> {
  const { run: found, how } = await cancelRun(createRunFinder(run, options.profile), printMessage);
  const command = formatCommandOf(found.id);
  const batches = found.held === undefined ? 0 : await cancelOpenBatches(found.held);
  const cancelled = [
    ...(how === 'cancelled' ? [`run ${found.id}`] : []),
    ...(batches === 0 ? [] : [`${formatCount(batches, 'batch', 'batches')} at the provider`]),
  ];
  print(
    cancelled.length === 0
      ? `Run ${found.id} is not running. Nothing was changed.`
      : `Cancelled ${cancelled.join(' and ')}. Everything answered is kept. Repeat its ${command} command${batches === 0 ? '' : ' with --batch'} to continue.`,
  );
  return EXIT.done;
}

/** Has providers stop the batches of a run, once the command that drove it has left its folder. Returns how many there were. */
async function cancelOpenBatches({ folder }: OpenRun): Promise<number> {
  if ((await readOpenBatches(folder.store)).length === 0) return 0;
  const { cancelBatches } = await import('../../workers/cancel-batches.js');
  await using _lock = await lockLeftFolder(folder);
  return cancelBatches(folder.store, process.env, printMessage);
}

/** Locks a folder whose command is about to end. @throws RunFolderError when it does not */
async function lockLeftFolder(folder: OpenRun['folder']): Promise<AsyncDisposable> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await lockRunFolder(folder);
    } catch (error) {
      if (tries === LOCK_TRIES) throw error;
      await wait(500);
    }
  }
}

const LOCK_TRIES = 40;

async function steerNamedRun(
  run: string,
  { profile }: SteerOptions,
  wantedOf: (found: FoundRun) => Promise<SteeringRequest>,
): Promise<number> {
  const change = await steerRun(createRunFinder(run, profile), wantedOf, printMessage);
  print(renderSteeringChange(change).join('\n'));
  return EXIT.done;
}
