import type { SteeringRequest } from '../../limits/steering';
import { cancelRun, steerRun } from '../../runs/control/steer';
import type { FoundRun } from '../../runs/folder/find-run';
import { createRunFinder } from '../../runs/folder/engines';
import { COMMAND, EXIT, UsageError } from '../exit';
import { print } from '../output';
import { renderSteeringChange } from './change-text';
import type { SteeringOptions } from '../options';
import { parseSteering } from './steering';

export interface SteerOptions {
  readonly profile?: string;
}

export interface SetOptions extends SteerOptions, SteeringOptions {
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
  const { run: found, how } = await cancelRun(createRunFinder(run, options.profile));
  const command = `${COMMAND} ${found.kind === 'synthesis' ? 'synth' : 'eval'}`;
  print(
    how === 'cancelled'
      ? `Cancelled run ${found.id}. Everything answered is kept. Repeat its ${command} command to continue.`
      : `Run ${found.id} is not running. Nothing was changed.`,
  );
  return EXIT.done;
}

async function steerNamedRun(
  run: string,
  { profile }: SteerOptions,
  wantedOf: (found: FoundRun) => Promise<SteeringRequest>,
): Promise<number> {
  const change = await steerRun(createRunFinder(run, profile), wantedOf);
  print(renderSteeringChange(change).join('\n'));
  return EXIT.done;
}
