import { checkStoreAt } from '../../data/store/open-store';
import { findEngines } from '../../runs/folder/find-run';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import type { RunKind } from '../../schemas/run/run';
import { isClusterChosen } from '../../workers/server/engine';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { formatThisCommand } from '../command-line';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT, UsageError } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import type { CarryOutOptions } from '../options';
import { serveRun } from '../../runs/drive/serve-run';
import { formatLogLine } from '../../workers/telemetry/log';
import { printMessage, type Output } from '../output';
import { createProgressView, type ProgressView } from './progress';
import { withTelemetry } from './telemetry';

interface WorkerOptions extends Pick<CarryOutOptions, 'concurrency' | 'profile' | 'trust' | 'telemetry'> {
  /** A location on object storage. The worker serves all runs in progress there. */
  readonly store?: string;
  readonly only?: RunKind;
}

/**
 * Runs 'cupid worker': makes calls of a run that another command drives until the run is finished. With `--store`,
 * works for all runs on object storage until it is stopped. Returns the exit code.
 */
export async function runWorker(run: string | undefined, options: WorkerOptions): Promise<number> {
  const { store, only } = options;
  if (store !== undefined) {
    if (run !== undefined)
      throw new UsageError('A worker works for one run folder, or for a --store. Name one of them.');
    return serveRuns(store, options);
  }
  if (run === undefined)
    throw new UsageError('A worker needs a run folder, or --store. Run: cupid worker RUN_FOLDER');
  if (only !== undefined) throw new UsageError('--only chooses among the runs of a --store. Leave it out.');
  const engines = findEngines(options.profile);
  const output = process.stderr.isTTY ? process.stderr : createLogOutput({ folder: run });
  await using view = createProgressView(output, false);
  using _reporting = reportCalls(view);
  return await withTelemetry(options.telemetry, view.say, async (telemetry) => {
    const end = await serveRun(run, {
      engines,
      concurrency: options.concurrency,
      telemetry,
      ...buildSurroundings(options, view),
      onWaiting: (id, kind) =>
        view.say(
          `No command is driving run ${id}. Waiting; start it with: cupid ${kind === 'synthesis' ? 'synth --output-dir' : 'eval --results-dir'} ${quotePath(run)} …`,
        ),
    });
    if (end.how === 'finished') {
      view.say(`Run ${end.run} is finished. This worker made ${formatCount(view.totals().calls, 'call')}.`);
      return EXIT.done;
    }
    if (end.how === 'stopped') sayStopped(view);
    return EXIT.interrupted;
  });
}

async function serveRuns(root: string, options: WorkerOptions): Promise<number> {
  if (!isClusterChosen(options.profile)) {
    throw new UsageError(
      'A worker for a --store needs the Temporal cluster that runs the workflows. Choose it with TEMPORAL_ADDRESS, TEMPORAL_PROFILE or --profile.',
    );
  }
  // A worker that cannot use the storage must not be ready: it would replace workers that can.
  await checkStoreAt(root);
  const { connectCluster } = await import('../../workers/server/cluster.js');
  const { serveStore } = await import('../../runs/drive/serve-store.js');
  const output = process.stderr.isTTY ? process.stderr : createLogOutput({ store: root });
  await using view = createProgressView(output, false);
  using _reporting = reportCalls(view);
  const bundle = await readWorkflowBundle();
  const engine = await connectCluster(options.profile);
  return await withTelemetry(options.telemetry, view.say, async (telemetry) => {
    await serveStore({
      engine,
      root,
      kinds: options.only === undefined ? ['evaluation', 'synthesis'] : [options.only],
      concurrency: options.concurrency,
      bundle,
      ...buildSurroundings(options, view),
      warn: process.stderr.isTTY ? view.say : createLog('WARN', { store: root }),
      telemetry,
    });
    sayStopped(view);
    return EXIT.interrupted;
  });
}

function buildSurroundings({ trust }: WorkerOptions, view: ProgressView) {
  return {
    consent: { trust: trust === true, trustCommand: formatThisCommand('--trust') },
    report: view.say,
    observe: view.observe,
    untilInterrupted: waitUntilInterrupted,
    ...(process.stderr.isTTY ? {} : { onLogged: printMessage }),
  };
}

/** Reports the calls of each minute in which this worker made some: it has no other progress. */
function reportCalls(view: ProgressView): Disposable {
  let before = 0;
  const timer = setInterval(() => {
    const { calls } = view.totals();
    if (calls > before)
      view.say(
        `${formatCount(calls - before, 'call')} in the last minute, ${formatNumber(calls)} by this worker so far.`,
      );
    before = calls;
  }, 60_000);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function sayStopped(view: ProgressView): void {
  const { calls } = view.totals();
  view.say(
    `Stopped. ${formatCount(calls, 'call')} of this worker ${pluralize(calls, 'is', 'are')} in the journal.`,
  );
}

/** Creates an output that writes a log, one JSON object a line, for use without a terminal. */
function createLogOutput(subject: Readonly<Record<string, string>>): Output {
  const log = createLog('INFO', subject);
  return {
    isTTY: false,
    columns: 0,
    write(text: string) {
      log(text.trimEnd());
      return true;
    },
  };
}

function createLog(level: string, subject: Readonly<Record<string, string>>): (message: string) => void {
  return (message) => printMessage(formatLogLine({ level, message, ...subject }));
}
