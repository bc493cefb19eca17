import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { ControlInput } from '../../../../workflows/control/control';
import {
  controlState,
  endControl,
  modelState,
  report,
  setLimits,
  steer,
  type WorkerReport,
} from '../../../../workflows/messages';
import { findTemporal } from '../../../../workers/server/temporal-binary';
import { startServer, type RunningServer } from '../../../../workers/server/temporal-server';
import { until } from '../../../end-to-end/processes';
import { EMPTY_REPORT } from '../control/empty-report';
import { BUNDLE } from './in-process';
import { createTemporaryFolder } from '../../../temporary-folder';

// Each task of a workflow runs from its history alone, as after the death of the worker with the previous task.

const { run: RUN } = EMPTY_REPORT;
const MODEL = 'simulated:default';
const AT_ONCE = ['one', 'two', 'three'];

const folder = createTemporaryFolder();
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const binary = await findTemporal(() => undefined);
  server = await startServer({ binary: binary.path, folder });
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
});
afterAll(async () => {
  await client.connection.close();
  await server.stop();
});

test('the control of a run continues with a worker that has nothing of it in memory', async () => {
  await using control = await begin({
    run: { run: RUN, models: [MODEL], steering: { paused: false, limits: {} }, departedSpending: {} },
  });
  await Promise.all(AT_ONCE.map((worker) => control.report(worker, 1)));
  const changes = control.handle.executeUpdate(steer, { args: [{ paused: true, concurrency: 6 }] });
  await Promise.all([changes, ...AT_ONCE.map((worker) => control.report(worker, 2))]);
  await Promise.all(
    AT_ONCE.map((worker) => control.report(worker, 3, worker === 'one' ? {} : { isLast: true })),
  );
  expect(await control.handle.query(controlState)).toMatchObject({
    pause: { by: 'user' },
    steering: { concurrency: 6 },
    workers: [{ worker: 'one' }],
  });
  await control.handle.signal(endControl);
  await control.handle.result();
});

test('the control of a model continues with a worker that has nothing of it in memory', async () => {
  await using control = await begin({ model: { spec: MODEL, limits: { requestsPerMinute: 60 } } });
  await Promise.all(AT_ONCE.map((worker) => control.report(worker, 1)));
  await control.handle.signal(setLimits, { requestsPerMinute: 30 });
  await Promise.all(
    AT_ONCE.map((worker) => control.report(worker, 2, worker === 'one' ? { isLast: true } : {})),
  );
  expect(await control.handle.query(modelState)).toMatchObject({ limits: { requestsPerMinute: 30 } });
});

/** Starts a control workflow with a worker that caches nothing. Its history is replayed before its disposal ends. */
async function begin(input: ControlInput) {
  const queue = 'run' in input ? 'of-run' : 'of-model';
  const connection = await NativeConnection.connect({ address: server.address });
  const worker = await Worker.create({
    connection,
    taskQueue: queue,
    workflowBundle: { codePath: BUNDLE },
    activities: { keepSteering: () => Promise.resolve(), settleWorkers: () => Promise.resolve({}) },
    maxCachedWorkflows: 0,
  });
  const running = worker.run();
  const handle: WorkflowHandle = await client.workflow.start('control', {
    workflowId: queue,
    taskQueue: queue,
    args: [input],
  });
  // After its first task, so that the reports come with another one.
  await until(async () => (await handle.describe()).historyLength > 3);
  return {
    handle,
    report: (name: string, sequence: number, own: Partial<WorkerReport> = {}) =>
      handle.executeUpdate(report, { args: [{ ...EMPTY_REPORT, worker: name, sequence, ...own }] }),
    async [Symbol.asyncDispose]() {
      await Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, await handle.fetchHistory());
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
