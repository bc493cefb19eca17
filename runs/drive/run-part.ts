import type { Directives } from '../../workflows/messages';
import { buildTaskQueues, type TaskQueues } from '../control/control';
import { listModelsOfRun } from '../folder/find-run';
import { openLeases } from '../leases/leases';
import type { Guard } from '../../engine/limits/call-guard';
import type { OpenRun, RunFolder } from '../folder/run-folder';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { getHeartbeats } from '../../engine/heartbeats';
import type { ModelTable } from '../../schemas/model/model-table';
import type { Steering, TierSteering } from '../../schemas/run/steering';
import type { Engine } from '../../workers/server/connection';
import { openKnowledge } from '../../workers/model-knowledge';
import { logEvents, openLog } from '../../workers/telemetry/log';
import type { Telemetry } from '../../workers/telemetry/telemetry';
import { startWorkers, type RunningWorkers } from '../../workers/worker';
import type { RunListener } from '../../activities/run-events';
import type { World } from '../../activities/world';
import { EVALUATION_WORK, openCalls, SYNTHESIS_WORK, type OpenWork } from '../../workers/world';

/** Part of this process in a run: its workers, and the gate of all their calls. */
interface RunPart extends AsyncDisposable {
  readonly workers: RunningWorkers;
  readonly gate: World['gate'];
}

export interface RunPartOptions {
  readonly engine: Engine;
  readonly folder: Pick<RunFolder, 'kind' | 'path' | 'store' | 'scratch' | 'logFile'>;
  /** Bundled code of the workflows, and its version. */
  readonly bundle: { readonly path: string; readonly version: string };
  readonly queues: TaskQueues;
  readonly run: string;
  readonly models: readonly string[];
  /** SPECs that may be called: the user consented to them, or need not. */
  readonly mayAsk: ReadonlySet<string>;
  readonly concurrency: number;
  /** Guards of every call, besides its leases. */
  readonly guards?: readonly Guard[];
  readonly observe: RunListener;
  /** Telemetry of this process; absent when it is not configured. */
  readonly telemetry?: Telemetry | undefined;
  /** Receives each line of the log, besides the file. */
  readonly onLogged?: (line: string) => void;
  /** Called when the directives for the run's workers have changed. */
  readonly onDirectives?: (directives: Directives) => void;
  readonly work: OpenWork;
}

/** Starts to work for a run. Its calls wait until the control workflows of the run and its models have answered. */
export async function joinRun(options: RunPartOptions): Promise<RunPart> {
  const calls = openCalls(options.folder.store);
  try {
    return await startPart(options, calls);
  } catch (error) {
    // A worker of a storage tries again every few seconds, for days.
    calls[Symbol.dispose]();
    throw error;
  }
}

async function startPart(options: RunPartOptions, calls: ReturnType<typeof openCalls>): Promise<RunPart> {
  const { engine, folder, bundle, queues, run, models, mayAsk, concurrency, telemetry } = options;
  const { worker, events, gate, ledger, ended } = calls;
  const log = openLog(folder.logFile, folder.path, options.onLogged);
  const steering = await readSteering(folder.store);
  const inForce = new SteeringInForce(steering);
  const { emit } = events;
  const knowledge = await openKnowledge(folder.store, steering, (spec, facts, message) =>
    emit({ type: 'learned', spec, facts, message }),
  );
  const buildActivities = await options.work(folder, bundle.version);
  const leases = await openLeases(engine, {
    run,
    kind: folder.kind.name,
    codeVersion: bundle.version,
    leastQueryMs: getHeartbeats(engine.id).queryMs,
    ...queues,
    store: folder.store,
    worker,
    models,
    concurrency,
    activity: () => ({ spent: ledger.spent(inForce.table), perMinute: ledger.perMinute }),
    waiting: (isCounted) => gate.count(isCounted),
    backingOff: () => gate.backingOff,
    onUnresponsive: (workflowId) => emit({ type: 'delayed', cause: 'unresponsive', message: workflowId }),
    onChange: () => gate.reconsider(),
    onDirectives(directives) {
      inForce.change(directives);
      ledger.setPaused(directives.pause !== undefined);
      options.onDirectives?.(directives);
    },
  });
  events.subscribe(
    leases.follow,
    logEvents(log, run),
    ...(telemetry?.listenersOf(run, () => inForce.table) ?? []),
    options.observe,
  );
  const capacity = () => leases.capacity();
  const activities = buildActivities({
    mayAsk,
    gate,
    capacity,
    guardsOf: (call) => [...leases.guardsOf(call), ...(options.guards ?? [])],
    ledger,
    knowledge,
    tiers: () => inForce.tiers,
    environment: process.env,
    ended,
    emit,
  });
  try {
    const workers = await startWorkers({
      engine,
      bundle: bundle.path,
      concurrency,
      ...queues,
      calls: {
        gate,
        capacity,
        async onDrained() {
          await leave?.();
          await leases.stop();
        },
      },
      activities,
      log,
      telemetry,
    });
    const leave = telemetry?.join({
      run,
      models,
      waiting: (spec) => gate.count((call) => call.spec === spec),
      state: async () => {
        const state = await leases.readState();
        return state === undefined ? undefined : { ...state, pause: state.pause };
      },
      problems: () => [
        ...(workers.arePolling() ? [] : ['a worker does not poll']),
        ...leases
          .listExpired()
          .map((subject) => `no lease for ${subject}: its control workflow does not answer`),
      ],
    });
    return {
      workers,
      gate,
      async [Symbol.asyncDispose]() {
        try {
          await workers[Symbol.asyncDispose]();
        } finally {
          calls[Symbol.dispose]();
        }
      },
    };
  } catch (error) {
    // The leases report already, and nothing else would stop them.
    await leases.stop();
    throw error;
  }
}

/** Prices and tiers in force: those of the store until the first directives. */
class SteeringInForce {
  table: ModelTable;

  constructor(public tiers: TierSteering & Pick<Steering, 'modelTable'>) {
    this.table = buildModelTable(tiers);
  }

  change(directives: Directives): void {
    this.tiers = directives;
    if (directives.modelTable !== undefined) this.table = buildModelTable(directives);
  }
}

/** Starts to work for a stored run that another process drives. */
export async function joinOpenRun(
  run: OpenRun,
  by: Omit<RunPartOptions, 'folder' | 'queues' | 'run' | 'models' | 'work'>,
): Promise<RunPart> {
  const { id } = run.plan.inputs;
  return joinRun({
    ...by,
    folder: run.folder,
    queues: buildTaskQueues(id, { engine: by.engine.id, codeVersion: by.bundle.version }),
    run: id,
    models: listModelsOfRun(run),
    work: run.kind === 'evaluation' ? EVALUATION_WORK : SYNTHESIS_WORK,
  });
}
