import { FlexCapacity } from '../../../../activities/flex-capacity';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { CallGate } from '../../../../activities/call-gate';
import { buildSynthesisActivities, type RunActivities } from '../../../../activities';
import type { SynthesisFiles } from '../../../../activities/synthesis/inputs';
import type { RunEvent } from '../../../../activities/run-events';
import { driveRun, type DrivenRun } from '../../../../runs/synthesize/drive';
import { planRun, readRunRequest } from '../../../../runs/synthesize/inputs';
import { writePlan } from '../../../../data/run/inputs';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore, type Store } from '../../../../data/store/store';
import type { Model, ModelRequest } from '../../../../models/model';
import { parseModelSpec } from '../../../../schemas/model/model-spec';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { openSimulatedModel } from '../../../../models/simulated/model';
import { EMBEDDED } from '../../../../schemas/run/engine';
import type { Engine } from '../../../../workers/server/connection';
import type { RunningServer } from '../../../../workers/server/temporal-server';
import { startCluster } from '../../../temporal-cluster';
import { RunLedger } from '../../../../activities/run-ledger';
import { openLog } from '../../../../workers/telemetry/log';
import { startWorkers } from '../../../../workers/worker';
import { buildRunQueueName } from '../../../../engine/task-queues';
import { createTemporaryFolder } from '../../../temporary-folder';
import { createGate } from '../control/guards';

export const BUNDLE = join(__dirname, '..', '..', '..', '..', 'dist', 'workers', 'workflows.bundle.js');
const MODEL = 'simulated:default';

/** The simulated model, for tests that wrap it. */
export const simulated: Model = openSimulatedModel(parseModelSpec(MODEL));

/** Builds a simulated model that records its requests. `before` sees each one first, and may throw instead of an answer. */
export function recordRequests(before: (request: ModelRequest) => Promise<void> | void = () => undefined): {
  model: Model;
  requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const model: Model = {
    async ask(request, signal) {
      requests.push(request);
      await before(request);
      return simulated.ask(request, signal);
    },
  };
  return { model, requests };
}

/** Interval of a run's checks of its open personas in these tests; the default is a minute. */
export const CHECK_INTERVAL_MS = 3_000;

/** A real server with real workers in this process; only the model, and optionally the store, are the test's own. */
export interface InProcess extends AsyncDisposable {
  readonly client: Client;
  readonly events: RunEvent[];
  readonly run: DrivenRun;
  readonly runId: string;
  readonly files: SynthesisFiles;
  /** Drives the run again, like a second command. */
  readonly driveAgain: () => Promise<DrivenRun>;
}

export type Events = readonly temporal.api.history.v1.IHistoryEvent[];

/** Fetches the histories of a workflow that may have continued as new, oldest first. */
export async function fetchHistories(client: Client, workflowId: string): Promise<Events[]> {
  const histories: Events[] = [];
  // Each names the one before it; the list of workflows may lag behind.
  let runId: string | undefined;
  do {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.unshift(events ?? []);
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (runId !== undefined);
  return histories;
}

export async function startRun(options: {
  readonly nPersonas: number;
  readonly nSessions?: number;
  readonly maxTurns?: number;
  readonly stallTurns?: number;
  readonly concurrency?: number;
  readonly model?: Model;
  /** Whether a short call to the model is answered (default: no). */
  readonly answersCheck?: boolean;
  readonly store?: (folder: Store) => Store;
  /** Dynamic configuration of the server. */
  readonly dynamic?: Readonly<Record<string, string>>;
}): Promise<InProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'cupid-in-process-'));
  const settings = synthesisSettingsSchema.parse({
    nPersonas: options.nPersonas,
    nSessions: options.nSessions ?? 13,
    maxTurns: options.maxTurns ?? 16,
    stallTurns: options.stallTurns ?? 0,
    models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
  });
  const plan = await planRun(await readRunRequest(settings, {}));
  const onDisk = createFolderStore(join(folder, 'store'));
  await writePlan(onDisk, plan);
  const store = options.store?.(onDisk) ?? onDisk;
  const files: SynthesisFiles = {
    id: plan.inputs.id,
    store,
    journal: openJournal(store),
    settings,
    seeds: plan.inputs.seeds,
    templates: new Map(plan.templates.map((template) => [template.id, template])),
    prompts: plan.prompts,
    codeVersion: 'test',
    scratch: join(folder, 'scratch'),
  };
  const concurrency = options.concurrency ?? 16;
  const created = createWorld(files, concurrency, () => options.model ?? simulated);
  const { events } = created;
  const world = { ...created.world, answersCheck: async () => options.answersCheck === true };
  const host = await startHost({
    id: plan.inputs.id,
    folder,
    gate: world.gate,
    concurrency,
    activities: buildSynthesisActivities(world),
    dynamic: options.dynamic,
  });
  const driveAgain = () =>
    driveRun(host.engine, plan.inputs, concurrency, { checkIntervalMs: CHECK_INTERVAL_MS });
  const run = await driveAgain();
  return {
    client: host.client,
    events,
    run,
    runId: plan.inputs.id,
    files,
    driveAgain,
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates what the activities of a run work with, and records its events; only the models are the test's own. */
export function createWorld<Run extends { readonly store: Store }>(
  run: Run,
  concurrency: number,
  model: (spec: string) => Model,
) {
  const events: RunEvent[] = [];
  const { events: stream, ...limits } = createGate(concurrency);
  stream.subscribe((event) => void events.push(event));
  const world = {
    ...limits,
    ledger: new RunLedger(run.store, 'test', stream),
    emit: stream.emit,
    model: async (spec: string) => model(spec),
    batches: async () => undefined,
    answersCheck: async () => false,
    tierOf: (spec: string) => new FlexCapacity(spec, 'standard', undefined),
    run,
  };
  return { world, events };
}

/** A real server and real workers in this process, for one run of any kind. */
export interface Host extends AsyncDisposable {
  readonly engine: Engine;
  readonly client: Client;
}

export async function startHost(options: {
  readonly id: string;
  readonly folder: string;
  readonly gate: CallGate;
  readonly concurrency: number;
  readonly activities: RunActivities;
  readonly dynamic?: Readonly<Record<string, string>> | undefined;
  /** Kind of engine that it claims to be. The default is a cluster, with rare heartbeats. */
  readonly engine?: typeof EMBEDDED;
}): Promise<Host> {
  const { id, folder, gate, concurrency, activities, dynamic } = options;
  const own =
    dynamic === undefined ? undefined : await startCluster({ folder: join(folder, 'engine'), dynamic });
  const server = own ?? (await (shared ??= startCluster({ folder: sharedFolder })));
  const engine: Engine = {
    id: options.engine ?? 'test',
    name: 'test',
    connection: { address: server.address },
    namespace: 'default',
    async [Symbol.asyncDispose]() {
      await own?.stop();
    },
  };
  const logFile = join(folder, 'worker.log');
  const workers = await startWorkers({
    engine,
    bundle: BUNDLE,
    concurrency,
    activities,
    queue: buildRunQueueName(id),
    limitsQueue: buildRunQueueName(id),
    log: openLog(logFile, folder),
    calls: { gate, capacity: () => concurrency + 8, onDrained: () => Promise.resolve() },
  });
  const connection = await Connection.connect({ address: server.address });
  return {
    engine,
    client: new Client({ connection }),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await workers.stop();
      await own?.stop();
    },
  };
}

/** Server of all runs of a test file without settings of their own. */
let shared: Promise<RunningServer> | undefined;
afterAll(async () => (await shared)?.stop());
const sharedFolder = createTemporaryFolder();
