import { setTimeout as wait } from 'node:timers/promises';
import { findRun, isAsFound, type Engines, type FoundRun } from '../../runs/folder/find-run';
import { checkConsent } from '../../runs/plan/consent';
import { buildLimitsQueueName } from '../../runs/control/control';
import type { OpenRun } from '../../runs/folder/run-folder';
import { formatCount, pluralize } from '../../formatting/count-text';
import { checkModels } from '../../workers/models';
import { EMBEDDED } from '../../schemas/run/run';
import type { Engine } from '../../workers/server/engine';
import type { Telemetry } from '../../workers/telemetry/telemetry';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { EVALUATION_WORK, SYNTHESIS_WORK } from '../../workers/world';
import { findEngines } from '../../runs/folder/engines';
import { quoteArgument, formatThisCommand } from '../command-line';
import { COMMAND, EXIT, UsageError } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import type { TelemetryAddress } from '../options';
import { joinRun, type RunPart } from '../../runs/drive/run-part';
import { formatLogLine } from '../../workers/telemetry/log';
import { printMessage, type Output } from '../output';
import { createProgressView, type ProgressView } from './progress';
import { withTelemetry } from './telemetry';

export interface WorkerOptions {
  readonly concurrency: number;
  readonly profile?: string;
  readonly trust?: true;
  readonly telemetry?: TelemetryAddress;
}

/** `cupid worker`: makes calls of a run that another command drives, until it is finished. Returns the exit code. */
export async function runWorker(run: string, options: WorkerOptions): Promise<number> {
  const engines = findEngines(options.profile);
  const output = process.stderr.isTTY ? process.stderr : createLogOutput({ folder: run });
  await using view = createProgressView(output, false);
  return withTelemetry(options.telemetry, view.say, (telemetry) =>
    workUntilFinished(run, options, engines, telemetry, view),
  );
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
        view.say(
          `Stopped. ${formatCount(view.totals().calls, 'call')} of this worker ${pluralize(view.totals().calls, 'is', 'are')} in the journal.`,
        );
        return EXIT.interrupted;
      }
    } else if (!saidWaiting) {
      saidWaiting = true;
      view.say(
        `No command is driving run ${found.id}. Waiting; start it with: ${COMMAND} ${held.kind === 'synthesis' ? 'synth --output-dir' : 'eval --results-dir'} ${quoteArgument(run)} …`,
      );
    }
    if ((await waitUntilInterrupted(wait(CHECK_INTERVAL_MS), () => undefined)) === 'interrupted')
      return EXIT.interrupted;
  }
}

/** Where nobody watches, what the command says is a log: a line of JSON each. */
function createLogOutput(subject: Readonly<Record<string, string>>): Output {
  return {
    isTTY: false,
    columns: 0,
    write(text: string) {
      printMessage(formatLogLine({ level: 'INFO', message: text.trimEnd(), ...subject }));
      return true;
    },
  };
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
    id: found.engine,
    name: found.engine,
    ...found.service,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  view.say(`Working on run ${found.id} on the ${found.engine} (process ${process.pid}).`);
  await using part = await joinKind(found.held, {
    engine,
    run: found.id,
    models: found.models,
    mayAsk: found.mayAsk,
    bundle: bundle.path,
    limitsQueue: buildLimitsQueueName(found.id, {
      engine: found.held.folder.run?.engine ?? EMBEDDED,
      codeVersion: bundle.version,
    }),
    concurrency,
    observe: view.observe,
    telemetry,
    ...(process.stderr.isTTY ? {} : { onLogged: printMessage }),
    onDirectives: () => undefined,
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

async function joinKind(
  held: OpenRun,
  common: Omit<Parameters<typeof joinRun>[0], 'folder' | 'read' | 'activities'>,
): Promise<RunPart> {
  if (held.kind === 'evaluation') {
    const { folder } = held;
    return joinRun({
      ...common,
      folder,
      read: () => EVALUATION_WORK.readFiles(folder.store),
      activities: EVALUATION_WORK.activities,
    });
  }
  const { folder } = held;
  const codeVersion = folder.run?.codeVersion ?? '';
  return joinRun({
    ...common,
    folder,
    read: () => SYNTHESIS_WORK.readFiles(folder.store, { codeVersion, scratch: folder.scratch }),
    activities: SYNTHESIS_WORK.activities,
  });
}
