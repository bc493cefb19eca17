import { setTimeout as wait } from 'node:timers/promises';
import { findRun, isAsFound, type Engines, type FoundRun } from '../client/find-run';
import { limitsQueueFor } from '../client/limits';
import type { HeldRun } from '../client/run-folder';
import { checkModels } from '../workers/models';
import { EMBEDDED } from '../schemas/run';
import type { Engine } from '../workers/engine';
import { workflowBundle } from '../workers/workflow-bundle';
import { evaluationActivities, evaluationFiles, synthesisActivities, synthesisFiles } from '../workers/world';
import { enginesFor } from './engines';
import { COMMAND, EXIT, UsageError } from './exit';
import { untilInterrupted } from './interrupt';
import { takePart, type Part } from './part';
import { progressView, type ProgressView } from './progress';

export interface WorkerOptions {
  readonly concurrency: number;
  readonly profile?: string;
}

/** `cupid worker`: works for a run that another command drives, until it is done. Returns the exit code. */
export async function worker(run: string, options: WorkerOptions): Promise<number> {
  const engines = enginesFor(options.profile);
  await using view = progressView(process.stderr, false);
  const bundle = await workflowBundle();
  let waitingTold = false;
  for (;;) {
    const found = await findRun(run, engines);
    const { held, service } = found;
    if (held === undefined) {
      throw new UsageError(`A worker needs what ${run} keeps. Name its folder, where this machine has it.`);
    }
    if (held.folder.run?.state === 'finished') {
      view.say(`Run ${found.id} is done. This process made ${view.totals().calls} of its calls.`);
      return EXIT.done;
    }
    if (held.folder.run !== undefined && service !== undefined) {
      checkVersion(held, bundle);
      await checkModels(found.models, process.env);
      waitingTold = false;
      const ended = await workFor(found, held, service, engines, bundle, options, view);
      if (ended === 'interrupted') {
        view.say(`Stopped; ${view.totals().calls} calls of this command are in the journal.`);
        return EXIT.interrupted;
      }
    } else if (!waitingTold) {
      waitingTold = true;
      view.say(
        `Nobody drives run ${found.id} just now; waiting until somebody does (${COMMAND} ${held.kind === 'synthesis' ? 'synth' : 'eval'} on ${run}).`,
      );
    }
    if ((await untilInterrupted(wait(LOOK_EVERY), () => undefined)) === 'interrupted')
      return EXIT.interrupted;
  }
}

type WorkflowBundle = Awaited<ReturnType<typeof workflowBundle>>;

/** Milliseconds between two looks at whether the run is still driven. */
const LOOK_EVERY = 1_000;

/** Workflows that were begun by one version of the code can be gone on with by that one only. */
function checkVersion({ folder }: HeldRun, { version }: WorkflowBundle): void {
  const { run, path } = folder;
  if (run === undefined || run.codeVersion === version) return;
  throw new Error(
    `The run in ${path} is driven by version ${run.codeVersion} of this program, and this is ${version}. Start the worker from the same version.`,
  );
}

/** Works until the run is done, nobody drives it any more, or Ctrl-C. */
async function workFor(
  found: FoundRun,
  held: HeldRun,
  service: NonNullable<FoundRun['service']>,
  engines: Engines,
  bundle: WorkflowBundle,
  options: WorkerOptions,
  view: ProgressView,
): Promise<'interrupted' | 'left'> {
  const engine: Engine = {
    id: found.engine,
    name: found.engine,
    ...service,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  view.say(`Working for run ${found.id} on the ${found.engine}. This is process ${process.pid}.`);
  await using part = await partIn(held, {
    engine,
    run: found.id,
    models: found.models,
    bundle: bundle.path,
    limitsQueue: limitsQueueFor(found.id, {
      engine: held.folder.run?.engine ?? EMBEDDED,
      codeVersion: bundle.version,
    }),
    concurrency: options.concurrency,
    observe: view.observe,
    told: () => undefined,
  });
  const leaving = new AbortController();
  try {
    const changed = untilChanged(found, engines, leaving.signal);
    const ended = await untilInterrupted(Promise.race([changed, part.workers.ended]), () => {
      view.say('Stopping: answers in flight are waited for.');
      part.gate.stop();
    });
    return ended === 'interrupted' ? 'interrupted' : 'left';
  } finally {
    leaving.abort();
  }
}

/**
 * Resolves when the run is finished, has grown, is done over or gone on with by other code: what this process has read of it is out
 * of date then. So it is when another engine has it, or none.
 */
async function untilChanged(found: FoundRun, engines: Engines, leaving: AbortSignal): Promise<void> {
  // Whoever could not look just now looks again.
  const isSame = () => isAsFound(found, engines).catch(() => true);
  do await wait(LOOK_EVERY, undefined, { signal: leaving });
  while (await isSame());
}

async function partIn(
  held: HeldRun,
  common: Omit<Parameters<typeof takePart>[0], 'folder' | 'read' | 'activities'>,
): Promise<Part> {
  if (held.kind === 'evaluation') {
    const { folder } = held;
    return takePart({
      ...common,
      folder,
      read: () => evaluationFiles(folder.store),
      activities: evaluationActivities,
    });
  }
  const { folder } = held;
  const codeVersion = folder.run?.codeVersion ?? '';
  return takePart({
    ...common,
    folder,
    read: () => synthesisFiles(folder.store, { codeVersion, scratch: folder.scratch }),
    activities: synthesisActivities,
  });
}
