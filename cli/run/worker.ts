import { setTimeout as wait } from 'node:timers/promises';
import { checkStoreAt } from '../../data/store/open-store';
import { findRun, isAsFound, type Engines, type FoundRun, findEngines } from '../../runs/folder/find-run';
import { checkConsent } from '../../runs/plan/consent';
import type { OpenRun } from '../../runs/folder/run-folder';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { checkModels } from '../../workers/models';
import { EMBEDDED, type RunKind } from '../../schemas/run/run';
import type { Engine } from '../../workers/server/connection';
import { isClusterChosen } from '../../workers/server/engine';
import type { Telemetry } from '../../workers/telemetry/telemetry';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { quotePath, formatThisCommand } from '../command-line';
import { COMMAND, EXIT, UsageError } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import type { TelemetryAddress } from '../options';
import { joinOpenRun, type joinRun } from '../../runs/drive/run-part';
import { formatLogLine } from '../../workers/telemetry/log';
import { printMessage, type Output } from '../output';
import { createProgressView, type ProgressView } from './progress';
import { withTelemetry } from './telemetry';

interface WorkerOptions {
  readonly concurrency: number;
  readonly profile?: string;
  readonly trust?: true;
  readonly telemetry?: TelemetryAddress;
  /** A place on object storage: the worker works for all runs in progress there, and belongs to none. */
  readonly store?: string;
  readonly only?: RunKind;
}

/**
 * `cupid worker`: makes calls of a run that another command drives, until it is finished; or of all runs on object storage, until it is
 * stopped. Returns the exit code.
 */
export async function runWorker(run: string | undefined, options: WorkerOptions): Promise<number> {
  const { store, only } = options;
  if (store !== undefined) {
    if (run !== undefined)
      throw new UsageError('A worker works for one run folder, or for a --store. Name one of them.');
    return serveRuns(store, options);
  }
  if (run === undefined)
    throw new UsageError(`A worker needs a run folder, or --store. Run: ${COMMAND} worker RUN_FOLDER`);
  if (only !== undefined) throw new UsageError('--only chooses among the runs of a --store. Leave it out.');
  const engines = findEngines(options.profile);
  const output = process.stderr.isTTY ? process.stderr : createLogOutput({ folder: run });
  await using view = createProgressView(output, false);
  return withTelemetry(options.telemetry, view.say, (telemetry) =>
    workUntilFinished(run, options, engines, telemetry, view),
  );
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
  const bundle = await readWorkflowBundle();
  const engine = await connectCluster(options.profile);
  return withTelemetry(options.telemetry, view.say, async (telemetry) => {
    const stopping = new AbortController();
    view.say(`Working for the runs at ${root} on the ${engine.name} (process ${process.pid}).`);
    const served = serveStore(
      {
        engine,
        root,
        kinds: options.only === undefined ? ['evaluation', 'synthesis'] : [options.only],
        concurrency: options.concurrency,
        bundle,
        consent: { trust: options.trust === true, trustCommand: formatThisCommand('--trust') },
        report: view.say,
        warn: process.stderr.isTTY ? view.say : createLog('WARN', { store: root }),
        observe: view.observe,
        telemetry,
        ...(process.stderr.isTTY ? {} : { onLogged: printMessage }),
      },
      stopping.signal,
    );
    await waitUntilInterrupted(served, () => {
      view.say('Stopping: waiting for the answers in flight.');
      stopping.abort();
    });
    await served;
    sayStopped(view);
    return EXIT.interrupted;
  });
}

async function workUntilFinished(
  run: string,
  options: WorkerOptions,
  engines: Engines,
  telemetry: Telemetry | undefined,
  view: ProgressView,
): Promise<number> {
  const bundle = await readWorkflowBundle();
  let saidWaiting = false;
  for (;;) {
    const found = await findRun(run, engines);
    const { held, service } = found;
    if (held === undefined) {
      throw new UsageError(
        `A worker needs the run folder, and ${run} is the id of a run. Run: ${COMMAND} worker RUN_FOLDER`,
      );
    }
    if (held.folder.run?.state === 'finished') {
      view.say(`Run ${found.id} is finished. This worker made ${formatCount(view.totals().calls, 'call')}.`);
      return EXIT.done;
    }
    const { models } = found;
    const mayAsk = await checkConsent(
      {
        folder: held.folder.path,
        models,
        asked: models,
        named: [],
        trust: options.trust === true,
        trustCommand: formatThisCommand('--trust'),
      },
      view.say,
    );
    if (held.folder.run !== undefined && service !== undefined) {
      checkVersion(held, bundle);
      await checkModels(found.models, process.env);
      saidWaiting = false;
      const by = { engines, bundle, telemetry, concurrency: options.concurrency };
      const ended = await workForRun({ ...found, held, service, mayAsk }, by, view);
      if (ended === 'interrupted') {
        sayStopped(view);
        return EXIT.interrupted;
      }
    } else if (!saidWaiting) {
      saidWaiting = true;
      view.say(
        `No command is driving run ${found.id}. Waiting; start it with: ${COMMAND} ${held.kind === 'synthesis' ? 'synth --output-dir' : 'eval --results-dir'} ${quotePath(run)} …`,
      );
    }
    if ((await waitUntilInterrupted(wait(CHECK_INTERVAL_MS), () => undefined)) === 'interrupted')
      return EXIT.interrupted;
  }
}

function sayStopped(view: ProgressView): void {
  const { calls } = view.totals();
  view.say(
    `Stopped. ${formatCount(calls, 'call')} of this worker ${pluralize(calls, 'is', 'are')} in the journal.`,
  );
}

/** Where nobody watches, what the command says is a log: a line of JSON each. */
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

type WorkflowBundle = Awaited<ReturnType<typeof readWorkflowBundle>>;

/** Milliseconds between two checks whether the run is still driven. */
const CHECK_INTERVAL_MS = 1_000;

/** A workflow can only be continued by the version of the code that started it. */
function checkVersion({ folder }: OpenRun, { version }: WorkflowBundle): void {
  const { run, path } = folder;
  if (run === undefined || run.codeVersion === version) return;
  throw new Error(
    `The run in ${path} is driven by version ${run.codeVersion} of this program, and this worker is version ${version}. Start the worker from the same version.`,
  );
}

/** A run that this process can work on. */
interface WorkableRun {
  readonly held: OpenRun;
  readonly service: NonNullable<FoundRun['service']>;
  readonly mayAsk: ReadonlySet<string>;
}

/** Works until the run is finished, no command drives it any more, or Ctrl-C. */
async function workForRun(
  found: FoundRun & WorkableRun,
  {
    engines,
    bundle,
    telemetry,
    concurrency,
  }: Pick<Parameters<typeof joinRun>[0], 'telemetry' | 'concurrency'> & {
    readonly engines: Engines;
    readonly bundle: WorkflowBundle;
  },
  view: ProgressView,
): Promise<'interrupted' | 'left'> {
  const engine: Engine = {
    id: found.held.folder.run?.engine ?? EMBEDDED,
    name: found.engine,
    ...found.service,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  view.say(`Working on run ${found.id} on the ${found.engine} (process ${process.pid}).`);
  await using part = await joinOpenRun(found.held, {
    engine,
    mayAsk: found.mayAsk,
    bundle,
    concurrency,
    observe: view.observe,
    telemetry,
    ...(process.stderr.isTTY ? {} : { onLogged: printMessage }),
  });
  const leaving = new AbortController();
  try {
    const changed = untilChanged(found, engines, leaving.signal);
    const ended = await waitUntilInterrupted(Promise.race([changed, part.workers.ended]), () => {
      view.say('Stopping: waiting for the answers in flight.');
      part.gate.stop();
    });
    return ended === 'interrupted' ? 'interrupted' : 'left';
  } finally {
    leaving.abort();
  }
}

/**
 * Resolves when the run has finished, grown, been retried or moved to other code or to another engine: what this process has read of
 * it is then out of date.
 */
async function untilChanged(found: FoundRun, engines: Engines, leaving: AbortSignal): Promise<void> {
  // A check that failed is repeated.
  const isSame = () => isAsFound(found, engines).catch(() => true);
  do await wait(CHECK_INTERVAL_MS, undefined, { signal: leaving });
  while (await isSame());
}
