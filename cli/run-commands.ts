import { Option, type Command } from 'commander';
import type { RunCommand } from './exit';
import {
  addCarryOutOptions,
  addSteeringOptions,
  buildNumberParser,
  buildSharedOption,
  parseIds,
  parsePath,
  parsePaths,
  parseSpecOption,
  parseStore,
} from './options';

/** Adds the commands about an existing run: watch and steer it, inspect and retry what failed. */
export function addRunCommands(program: Command, run: RunCommand): void {
  program
    .command('status')
    .description(
      'show the work, calls, tokens, cost, errors and time left of a run, or the progress of a review',
    )
    .argument('<run>', `${RUN}, or folder of a review`, parsePath)
    .option('--watch', 'refresh until the run ends or you press Ctrl-C')
    .addOption(buildSharedOption('profile', PROFILE))
    .addOption(buildSharedOption('json', 'print the status as JSON'))
    .addHelpText('after', STATUS_EXAMPLES)
    .action(run(async () => (await import('./status/status.js')).showStatus));

  const changes = [
    [
      'pause',
      'pause a run: calls in flight are kept, no new call is sent until cupid resume',
      PAUSE_EXAMPLES,
    ],
    ['resume', 'resume a paused run', RESUME_EXAMPLES],
    ['cancel', 'stop a run now; repeat its synth or eval command to continue it', CANCEL_EXAMPLES],
  ] as const;
  for (const [name, description, examples] of changes) {
    program
      .command(name)
      .description(description)
      .argument('<run>', RUN, parsePath)
      .addOption(buildSharedOption('profile', PROFILE))
      .addHelpText('after', examples)
      .action(run(async () => (await import('./steer/steer.js'))[name]));
  }

  const set = program
    .command('set')
    .description('change the concurrency, budget, limits, tiers or model table of a run while it runs')
    .argument('<run>', RUN, parsePath)
    .addOption(buildSharedOption('concurrency', 'maximum model calls in flight, over all workers'));
  addSteeringOptions(set, BUDGET);
  set
    .addOption(buildSharedOption('profile', PROFILE))
    .addHelpText('after', SET_EXAMPLES)
    .action(run(async () => (await import('./steer/steer.js')).set));

  program
    .command('failures')
    .description('list the failures of a run: cause, turn, answers, tokens, cost')
    .argument('<run>', RUN_FOLDER, parsePath)
    .addOption(buildSharedOption('json', 'print the list as JSON'))
    .addHelpText('after', FAILURES_EXAMPLES)
    .action(run(async () => (await import('./repair/failures.js')).showFailures));

  program
    .command('replay')
    .description(
      'replay a recorded persona or dialogue offline: show its calls and answers, and what this version does differently',
    )
    .argument('<recording>', 'failure bundle, or id such as 17/s3', parsePath)
    .option('--output-dir <dir>', 'with an id: the run folder', parsePath)
    .option('--until-turn <n>', 'show a dialogue up to this turn', buildNumberParser(1))
    .option('--history', 'replay the history of its Temporal workflow instead')
    .addOption(buildSharedOption('profile', PROFILE))
    .addOption(buildSharedOption('json', 'print the transcript as JSON'))
    .addHelpText('after', REPLAY_EXAMPLES)
    .action(run(async () => (await import('./repair/replay.js')).replay));

  const retry = program
    .command('retry')
    .description('retry what failed in a run, then finish the run; answered calls are not repeated')
    .argument('<run>', RUN_FOLDER, parsePath)
    .option(
      '--only <ids>',
      'ids from cupid failures: personas and dialogues (17,42/s3), or instances of an evaluation (i3/m1/full)',
      parseIds,
    )
    .option('--from-turn <n>', 'restart dialogues at this turn', buildNumberParser(1))
    .option('--model <spec>', 'model to use instead of the one that failed', parseSpecOption)
    .option(
      '--damaged',
      'repair the journal: check all of it, and call again from each damaged or missing answer',
    );
  addCarryOutOptions(retry, 'print the result as JSON, without progress', PROFILE, BUDGET)
    .addHelpText('after', RETRY_EXAMPLES)
    .action(run(async () => (await import('./repair/retry.js')).retry));

  program
    .command('report')
    .description('write a page about runs and results: tables, charts, quality, errors, cost')
    .argument('<folders...>', 'run folders, results folders, or both', parsePaths)
    .option('--out <file>', 'file to write (default: report.html in the first folder)', parsePath)
    .addOption(buildSharedOption('split'))
    .addOption(buildSharedOption('wherePersona'))
    .addOption(buildSharedOption('json', "print the file's path and size as JSON"))
    .addHelpText('after', REPORT_EXAMPLES)
    .action(run(async () => (await import('./report/report.js')).report));

  program
    .command('pull')
    .description('copy a run from S3-compatible storage into a folder')
    .argument('<store>', 'where the run is, for example s3://bucket/run-1', parseStore)
    .argument('<folder>', 'folder to copy it to', parsePath)
    .addHelpText('after', PULL_EXAMPLES)
    .action(run(async () => (await import('./operate/copy-run.js')).pull));

  program
    .command('push')
    .description("copy a folder's run to S3-compatible storage, and continue it there")
    .argument('<run>', RUN_FOLDER, parsePath)
    .argument('<store>', 'where to copy it, for example s3://bucket/run-1', parseStore)
    .addHelpText('after', PUSH_EXAMPLES)
    .action(run(async () => (await import('./operate/copy-run.js')).push));

  program
    .command('worker')
    .description('add a worker process to a run that another command drives, or to all runs of a store')
    .argument('[run]', RUN_FOLDER, parsePath)
    .addOption(
      buildSharedOption('store', 'work for all runs of a cluster that are stored at or below this URL'),
    )
    .addOption(
      new Option('--only <kind>', 'with --store: runs of this kind').choices(['synthesis', 'evaluation']),
    )
    .addOption(buildSharedOption('concurrency', 'maximum model calls in flight in this worker').default(32))
    .addOption(buildSharedOption('profile', PROFILE))
    .addOption(buildSharedOption('trust'))
    .addOption(buildSharedOption('telemetry'))
    .addHelpText('after', WORKER_EXAMPLES)
    .action(run(async () => (await import('./run/worker.js')).runWorker));
}

const BUDGET = 'pause when the run has spent this much in total, for example 50usd or 20Mtok';
const RUN_FOLDER = 'run folder';
const RUN = 'run folder, or run id on the cluster';
const PROFILE = "profile in Temporal's configuration file: the run is on that cluster";

const STATUS_EXAMPLES = `
Examples:
  $ cupid status out
  $ cupid status out --watch
  $ TEMPORAL_ADDRESS=temporal.example:7233 cupid status cupid-1a2b3c4d --json`;

const PAUSE_EXAMPLES = `
Example:
  $ cupid pause out

A paused run stays paused when its command is stopped and repeated. Continue it with cupid resume out.`;

const RESUME_EXAMPLES = `
Example:
  $ cupid resume out

If no command is running the run, also repeat its synth or eval command.`;

const CANCEL_EXAMPLES = `
Example:
  $ cupid cancel out

Everything answered so far is kept. Open batches are cancelled at their provider, which needs its key.`;

const SET_EXAMPLES = `
Examples:
  $ cupid set out --concurrency 64
  $ cupid set out --budget 80usd
  $ cupid set out --rate '600rpm 2Mtpm' --rate 'openai:gpt-6.1-terra 300rpm'
  $ cupid set out --rate unlimited
  $ cupid set out --tier flex --tier-fallback 30m`;

const FAILURES_EXAMPLES = `
Examples:
  $ cupid failures out
  $ cupid failures results --json`;

const REPLAY_EXAMPLES = `
Examples:
  $ cupid replay out/failures/p17-s3.bundle.json
  $ cupid replay out/failures/p17-s3.bundle.json --until-turn 4 --json
  $ cupid replay 17/s3 --output-dir out
  $ cupid replay out/failures/p17-s3.bundle.json --history

A replay calls no model and needs neither keys nor a network. It exits with 1 if this version builds other
requests, judges answers otherwise or ends otherwise than the recording.`;

const RETRY_EXAMPLES = `
Examples:
  $ cupid retry out
  $ cupid retry out --only 17/s3 --from-turn 5
  $ cupid retry out --model openai:gpt-6.1-terra
  $ cupid retry out --damaged          # repair damaged or lost answers
  $ cupid retry received --trust       # by someone else, models checked`;

const REPORT_EXAMPLES = `
Examples:
  $ cupid report out
  $ cupid report results --out appendix.html
  $ cupid report out results-1 results-2 --out all.html

The page needs neither a network nor scripts. While a run is in progress, it shows what is finished so far.
Every number of an evaluation is the one in its results.json; of chosen personas, numbers are computed from its stored answers.`;

const PULL_EXAMPLES = `
Examples:
  $ cupid pull s3://bucket/run-1 out
  $ AWS_ENDPOINT_URL_S3=https://s3.example.com cupid pull s3://bucket/run-1 out

The folder then has the run's journal, records and data sets, and no longer needs the storage. To leave the run on
the storage and use it from this machine instead, run: cupid synth --output-dir out --store s3://…`;

const PUSH_EXAMPLES = `
Examples:
  $ cupid push out s3://bucket/run-1

The same commands on the same folder then continue the run there.`;

const WORKER_EXAMPLES = `
Examples:
  $ cupid worker out
  $ TEMPORAL_ADDRESS=temporal.example:7233 cupid worker /shared/out
  $ cupid worker /shared/out --concurrency 64 \\
      --telemetry 0.0.0.0:9464         # for Prometheus and Kubernetes' probes

This worker needs the run folder, the keys of the models, and the same version of cupid as the command that drives
the run. It exits when the run ends. Ctrl-C stops it earlier and loses nothing.

A worker of a store needs no folder: it finds the runs in the store by itself, until it is stopped:
  $ TEMPORAL_ADDRESS=temporal.example:7233 \\
      cupid worker --store s3://bucket/runs --concurrency 64`;
