import { openAttendants, type Attendants, type Orders } from '../client/attendants';
import { reviveControl } from '../client/control';
import type { RunFolder } from '../client/run-folder';
import { readSteering } from '../data/steering';
import type { TierSteering } from '../schemas/steering';
import type { Engine } from '../workers/engine';
import { openKnowledge } from '../workers/model-knowledge';
import { workerName } from '../workers/name';
import { RunLedger } from '../workers/run-ledger';
import { startWorkers, type RunActivities, type RunningWorkers } from '../workers/worker';
import { openWorld, type RunFiles, type World, type WorldEvent } from '../workers/world';

/** The part that this process takes in a run: its workers, and the gate that all their calls pass. */
export interface Part extends AsyncDisposable {
  readonly workers: RunningWorkers;
  readonly gate: World['gate'];
}

/** Begins to work for a run. What it would send waits until the workflows that steer and limit the run have answered. */
export async function takePart<Files extends RunFiles>(options: {
  readonly engine: Engine;
  readonly folder: Pick<RunFolder, 'kind' | 'store' | 'logFile'>;
  readonly bundle: string;
  readonly limitsQueue: string;
  readonly run: string;
  readonly models: readonly string[];
  /** Those that may be asked: the user consented to them, or need not. */
  readonly mayAsk: ReadonlySet<string>;
  readonly concurrency: number;
  readonly observe: (event: WorldEvent) => void;
  /** Told of every change of what the run's workers are to do. */
  readonly told: (orders: Orders) => void;
  readonly read: () => Promise<Files>;
  readonly activities: (world: World<Files>) => RunActivities;
}): Promise<Part> {
  const { engine, folder, bundle, limitsQueue, run, models, mayAsk, concurrency, observe, told, read } =
    options;
  const worker = await workerName();
  // Each needs the other: what is attended has a say in what is sent, and is told what was.
  const late: { attendants?: Attendants } = {};
  const ledger = new RunLedger(folder.store, worker, () => late.attendants?.ledgerChanged());
  const steering = await readSteering(folder.store);
  let tiers: TierSteering = steering;
  const knowledge = await openKnowledge(folder.store, steering, (spec, facts, message) =>
    observe({ type: 'learned', spec, facts, message }),
  );
  const world = openWorld({
    run,
    mayAsk,
    read,
    guardsOf: (call) => late.attendants?.guardsOf(call) ?? [],
    ledger,
    knowledge,
    tiers: () => tiers,
    environment: process.env,
    observe,
  });
  const { gate } = world;
  const waiting = (spec?: string) => gate.count((call) => spec === undefined || call.spec === spec);
  const changed = () => gate.reconsider();
  const attendants = await openAttendants(engine, {
    run,
    kind: folder.kind.name,
    limitsQueue,
    limitsOf: async (spec) => (await readSteering(folder.store)).limits[spec],
    worker,
    models,
    concurrency,
    ledger,
    revive: (client) => reviveControl(client, folder.store, run, models),
    unheard: (workflowId) => observe({ type: 'waiting', cause: 'unheard', message: workflowId }),
    waiting,
    changed,
    told(orders) {
      tiers = orders;
      told(orders);
    },
  });
  late.attendants = attendants;
  try {
    const workers = await startWorkers({
      engine,
      bundle,
      gate,
      concurrency,
      run,
      models,
      limitsQueue,
      capacity: attendants.capacity,
      farewell: attendants.stop,
      activities: options.activities(world),
      logFile: folder.logFile,
    });
    return { workers, gate, [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose]() };
  } catch (error) {
    // They converse already, and nobody else has them to stop.
    await attendants.stop();
    throw error;
  }
}
