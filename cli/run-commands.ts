import type { Command } from 'commander';
import { COMMAND } from './exit';
import { ids, modelSpec, wholeNumber } from './options';
import type { FailuresOptions } from './failures';
import type { ReplayOptions } from './replay';
import type { RetryOptions } from './retry';
import type { StatusOptions } from './status';
import type { SetOptions, SteerOptions } from './steer';
import { budgetOption, pricesOption, rateOption } from './steering-options';
import type { WorkerOptions } from './worker';

/** Adds the commands about a run that there is: to watch it, to steer it, to look at what failed and to do that over. */
export function addRunCommands(program: Command, exit: (code: number) => void): void {
  program
    .command('status')
    .description('tell how a run stands: work, calls, tokens, cost, errors, time left')
    .argument('<run>', RUN)
    .option('--watch', 'until the run ends or Ctrl-C')
    .option('--profile <name>', PROFILE)
    .option('--json', 'print it as JSON')
    .addHelpText('after', STATUS_EXAMPLES)
    .action(async (run: string, options: StatusOptions) => {
      const { status } = await import('./status.js');
      exit(await status(run, options));
    });

  program
    .command('pause')
    .description('let a run make no further call until cupid resume; calls in flight are kept')
    .argument('<run>', RUN)
    .option('--profile <name>', PROFILE)
    .action(async (run: string, options: SteerOptions) => {
      const { pause } = await import('./steer.js');
      exit(await pause(run, options));
    });

  program
    .command('resume')
    .description('let a paused run go on')
    .argument('<run>', RUN)
    .option('--profile <name>', PROFILE)
    .action(async (run: string, options: SteerOptions) => {
      const { resume } = await import('./steer.js');
      exit(await resume(run, options));
    });

  program
    .command('cancel')
    .description('end a run where it stands; the same synth or eval command goes on from there')
    .argument('<run>', RUN)
    .option('--profile <name>', PROFILE)
    .action(async (run: string, options: SteerOptions) => {
      const { cancel } = await import('./steer.js');
      exit(await cancel(run, options));
    });

  program
    .command('set')
    .description('change how a run is carried out while it runs')
    .argument('<run>', RUN)
    .option('--concurrency <n>', 'model calls in flight, over all workers', wholeNumber(1, 10_000))
    .addOption(budgetOption('the most it may spend in all, such as 50usd or 20Mtok'))
    .addOption(rateOption())
    .addOption(pricesOption())
    .option('--profile <name>', PROFILE)
    .addHelpText('after', SET_EXAMPLES)
    .action(async (run: string, options: SetOptions) => {
      const { set } = await import('./steer.js');
      exit(await set(run, options));
    });

  program
    .command('failures')
    .description('list what failed of a run: cause, turn, answers, tokens, cost')
    .argument('<run>', "the run's folder")
    .option('--json', 'print it as JSON')
    .action(async (run: string, options: FailuresOptions) => {
      const { failures } = await import('./failures.js');
      exit(await failures(run, options));
    });

  program
    .command('replay')
    .description(
      'run the workflow code over a recording, offline, and show what was asked, answered and made of it',
    )
    .argument('<recording>', "a bundle of a run's failures, or a workflow's id")
    .option('--output-dir <dir>', "the run's folder, with a workflow's id")
    .option('--until-turn <n>', 'show a dialogue up to this turn', wholeNumber(1))
    .option('--profile <name>', PROFILE)
    .option('--json', 'print it as JSON')
    .addHelpText('after', REPLAY_EXAMPLES)
    .action(async (recording: string, options: ReplayOptions) => {
      const { replay } = await import('./replay.js');
      exit(await replay(recording, options));
    });

  program
    .command('retry')
    .description(
      'do what failed of a run over, and bring the run to its end; what was answered before is not asked again',
    )
    .argument('<run>', "the run's folder")
    .option(
      '--only <ids>',
      'as cupid failures lists them: personas and dialogues (17,42/s3), or trials of an evaluation (i3/m1/full)',
      ids,
    )
    .option('--from-turn <n>', 'do dialogues over from this turn on', wholeNumber(1))
    .option('--model <spec>', 'the model that is asked in place of the one that failed', modelSpec)
    .option('--concurrency <n>', 'model calls in flight', wholeNumber(1, 10_000), 32)
    .addOption(budgetOption('the most the run may spend in all, such as 50usd or 20Mtok'))
    .addOption(rateOption('limits of every model, or with its SPEC first of one'))
    .addOption(pricesOption())
    .option('--profile <name>', PROFILE)
    .option('--json', 'print the result as JSON, and no progress')
    .addHelpText('after', RETRY_EXAMPLES)
    .action(async (run: string, options: RetryOptions) => {
      const { retry } = await import('./retry.js');
      exit(await retry(run, options));
    });

  program
    .command('worker')
    .description('work for a run that another command drives, so that more calls are in flight')
    .argument('<run>', "the run's folder")
    .option('--concurrency <n>', "this worker's model calls in flight", wholeNumber(1, 10_000), 32)
    .option('--profile <name>', PROFILE)
    .addHelpText('after', WORKER_EXAMPLES)
    .action(async (run: string, options: WorkerOptions) => {
      const { worker } = await import('./worker.js');
      exit(await worker(run, options));
    });
}

const RUN = "the run's folder, or its id on the cluster";
const PROFILE = "a profile of Temporal's configuration file: the run is on that cluster";

const STATUS_EXAMPLES = `
Examples:
  $ ${COMMAND} status out
  $ ${COMMAND} status out --watch
  $ TEMPORAL_ADDRESS=temporal.example:7233 ${COMMAND} status cupid-1a2b3c4d --json`;

const SET_EXAMPLES = `
Examples:
  $ ${COMMAND} set out --concurrency 64
  $ ${COMMAND} set out --budget 80usd
  $ ${COMMAND} set out --rate '600rpm 2Mtpm' --rate 'openai:gpt-4o-2024-11-20 300rpm'
  $ ${COMMAND} set out --rate unlimited`;

const REPLAY_EXAMPLES = `
Examples:
  $ ${COMMAND} replay out/failures/p17-s3.bundle.json
  $ ${COMMAND} replay out/failures/p17-s3.bundle.json --until-turn 4 --json
  $ ${COMMAND} replay 17/s3 --output-dir out

It asks no model, and needs neither keys nor a network. Exit code 1: today's code takes another way than the recording.`;

const RETRY_EXAMPLES = `
Examples:
  $ ${COMMAND} retry out
  $ ${COMMAND} retry out --only 17/s3 --from-turn 5
  $ ${COMMAND} retry out --model openai:gpt-4o-2024-11-20`;

const WORKER_EXAMPLES = `
Examples:
  $ ${COMMAND} worker out
  $ TEMPORAL_ADDRESS=temporal.example:7233 ${COMMAND} worker /shared/out --concurrency 64

The worker needs the run's folder, the models' keys, and the same version of this program as the command that drives
the run. It ends when the run is done; Ctrl-C ends it before, and loses nothing.`;
