import { formatCount } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import type { SteeringRequest } from '../../engine/limits/steering';
import { cancelOpenBatches } from '../../runs/steer/cancel-batches';
import { readPauseAtRest } from '../../runs/control/at-rest';
import { cancelRun, steerRun } from '../../runs/steer/steer';
import { type FoundRun, createRunFinder } from '../../runs/folder/find-run';
import { describeContinuation } from '../command-line';
import { EXIT, UsageError } from '../exit';
import { print, printMessage } from '../output';
import { renderSteeringChange } from './change-text';
import { readSteeringRequest, type SteeringOptions } from '../../runs/control/request';

interface SteerOptions {
  readonly profile?: string;
}

interface SetOptions extends SteerOptions, SteeringOptions {
  readonly concurrency?: number;
}

/** Runs `cupid pause`: stops new calls until `cupid resume`. Returns the exit code. */
export async function pause(run: string, options: SteerOptions): Promise<number> {
  return steerNamedRun(run, options, async () => ({ paused: true }));
}

/** Runs `cupid resume`: ends a pause. Returns the exit code. */
export async function resume(run: string, options: SteerOptions): Promise<number> {
  return steerNamedRun(run, options, async () => ({ paused: false }));
}

/** Runs `cupid set`: changes concurrency, budget, rates, tiers or the model table. Returns the exit code. */
export async function set(run: string, options: SetOptions): Promise<number> {
  const { concurrency, rate, profile: _, ...otherOptions } = options;
  if ([concurrency, rate, ...Object.values(otherOptions)].every((value) => value === undefined)) {
    throw new UsageError(
      'Nothing to set. Give one or more of --concurrency, --budget, --rate, --models, --tier and --tier-fallback.',
    );
  }
  const buildRequest = async ({ models, name }: FoundRun): Promise<SteeringRequest> => {
    if (models.length === 0 && rate?.some(({ spec }) => spec === undefined) === true) {
      throw new UsageError(`The models of ${name} are not known. Start each --rate with a model SPEC.`);
    }
    const change = await readSteeringRequest(options, models);
    return concurrency === undefined ? change : { ...change, concurrency };
  };
  return steerNamedRun(run, options, buildRequest);
}

/** Runs `cupid cancel`: stops a run and keeps every answer. Returns the exit code. */
export async function cancel(run: string, options: SteerOptions): Promise<number> {
  const { run: foundRun, how } = await cancelRun(createRunFinder(run, options.profile), printMessage);
  const batches =
    foundRun.held === undefined ? 0 : await cancelOpenBatches(foundRun.held, process.env, printMessage);
  const cancelled = listPresent(
    how === 'cancelled' && `run ${foundRun.id}`,
    batches !== 0 && `${formatCount(batches, 'batch', 'batches')} at the provider`,
  );
  if (cancelled.length === 0) print(`Run ${foundRun.id} is not running. Nothing was changed.`);
  else {
    const paused = foundRun.held && (await readPauseAtRest(foundRun.held.folder.store)).paused;
    const next = describeContinuation(foundRun, paused?.by, ...(batches === 0 ? [] : ['--batch']));
    print(`Cancelled ${cancelled.join(' and ')}. Everything answered is kept. ${next}`);
  }
  return EXIT.done;
}

async function steerNamedRun(
  run: string,
  { profile }: SteerOptions,
  buildRequest: (foundRun: FoundRun) => Promise<SteeringRequest>,
): Promise<number> {
  const change = await steerRun(createRunFinder(run, profile), buildRequest, printMessage);
  print(renderSteeringChange(change).join('\n'));
  return EXIT.done;
}
