import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { buildCallsQueueName, buildRunQueueName, SIGNED } from '../../engine/task-queues';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { readEngineKey } from '../../workers/server/engine-key';
import { findRunningServer } from '../../workers/server/temporal-server';
import { createSigningCodec, throwForeign } from '../../workers/signed-payloads';
import { hashDataSets } from '../end-to-end/command';
import { runLoaded } from '../end-to-end/loaded-command';
import { readRunFile } from '../end-to-end/outputs';
import { startCommand, untilSaid } from '../end-to-end/processes';
import { setUpUndisturbedRun } from '../end-to-end/undisturbed';
import { startStandIn } from '../stand-in/chat-server';

// Another user of the machine is a client without the key: the port requires neither key nor password.

const beside = setUpUndisturbedRun(1, {});

test('what others send to the port of the embedded server is rejected, and a run that they end is continued', async () => {
  await using standIn = await startStandIn({ latency: 50 });
  const run = join(beside.folder, 'open');
  const synth = beside.commandOf('open', standIn);
  const running = startCommand([...synth, '--budget=40ktok']);
  await untilSaid(running, 'The budget of 40ktok is used up');
  const { id } = readRunFile(run);
  const control = buildControlWorkflowId(id);
  const queue = buildRunQueueName(id, SIGNED);
  const key = await stat(join(run, '.cupid', 'engine', 'key'));
  expect(key.mode & 0o777).toBe(0o600);

  await using connection = await connect(run);
  const { workflow } = new Client({ connection });
  const budget = { unit: 'tokens', cap: 600_000 };

  // Unsigned messages.
  const update = workflow.getHandle(control).executeUpdate('steer', { args: [{ budget }] });
  await expect(update).rejects.toThrow(WorkflowUpdateFailedError);
  await workflow.getHandle(control).signal('steerLater', { budget });
  await workflow.getHandle(control).signal('endControl');
  await workflow.getHandle(id).signal('personaClosed', { persona: 1, state: 'misconfigured', cause: 'x' });
  await expect(workflow.getHandle(control).query('controlState')).rejects.toThrow('Rejected the query');
  const steered = { run: { run: id, models: [], steering: { budget }, settled: {} } };
  for (const args of [[], [steered]]) {
    const foreign = workflow.start('control', { workflowId: randomUUID(), taskQueue: queue, args });
    const result = (await foreign).result();
    await expect(result).rejects.toThrow(WorkflowFailedError);
    await expect(result).rejects.toMatchObject({ cause: { message: expect.stringContaining('not signed') } });
  }

  // Copies of signed messages: the budget before the current one, as the same message and as another one.
  expect(await runLoaded(['pause', run])).toMatchObject({ code: 0 });
  expect(await runLoaded(['set', run, '--budget', '600ktok'])).toMatchObject({ code: 0 });
  expect(await runLoaded(['set', run, '--budget', '80ktok'])).toMatchObject({ code: 0 });
  const [, copied = []] = await listUpdates(connection, control, 'steer');
  expect(copied.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual([
    { budget },
    { for: 'update steer', at: expect.any(Number) },
  ]);
  expect(await sendUpdate(connection, control, 'steer', copied)).toContain('outdated');
  await sendSignal(connection, control, 'steerLater', copied);

  // Activities of another program's workflow, with an input of its own and with copies.
  const calls = buildCallsQueueName(queue);
  const [planned = []] = await listActivities(connection, `${id}/p1`, 'makeCalls');
  expect(planned).toHaveLength(2);
  const asked = standIn.received.length;
  for (const [type, input] of [
    ['makeCalls', planned.slice(0, 1).map(withoutMetadata)],
    ['makeCalls', planned],
    ['keepRecord', planned],
  ] as const) {
    const foreign = {
      workflowId: randomUUID(),
      type,
      queue: type === 'makeCalls' ? calls : queue,
      input,
    };
    expect(await runForeignActivity(connection, foreign)).toContain(`Rejected the activity ${type}`);
  }

  // Messages signed more than a minute ago, to their recipient.
  const codec = await openCodec(run);
  const signing = new Client({ connection, dataConverter: { payloadCodecs: [codec] } });
  const started = await signing.workflow.start('control', {
    workflowId: randomUUID(),
    taskQueue: queue,
    args: [steered, createOldStamp('workflow control')],
  });
  await expect(started.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('outdated') },
  });
  const workflowId = randomUUID();
  const context = {
    type: 'activity',
    namespace: 'default',
    workflowId,
    activityId: '1',
    isLocal: false,
  } as const;
  const copies = [{ run: id, persona: 1 }, createOldStamp('activity makeCalls')].map((value) =>
    defaultPayloadConverter.toPayload(value),
  );
  const input = await codec.encode(copies, context);
  const outdated = await runForeignActivity(connection, {
    workflowId,
    type: 'makeCalls',
    queue: calls,
    input,
  });
  expect(outdated).toContain('outdated');
  expect(standIn.received).toHaveLength(asked);
  const log = await readFile(join(run, '.cupid', 'worker.log'), 'utf8');
  for (const what of [
    'update steer',
    'signal steerLater',
    'signal endControl',
    'signal personaClosed',
    'workflow control',
    'activity makeCalls',
  ])
    expect(log).toContain(`Rejected the ${what}: `);
  const status = JSON.parse((await runLoaded(['status', run, '--json'])).stdout);
  expect(status).toMatchObject({ budget: { cap: 80_000 }, pause: { by: 'user' } });

  // Terminated by others.
  await workflow.getHandle(id).terminate('by somebody else');
  await expect(running.ended).resolves.toMatchObject({ code: 1 });
  expect(await runLoaded(['resume', run])).toMatchObject({ code: 0 });
  const again = await runLoaded([...synth, '--budget=40Mtok']);
  expect(again).toMatchObject({ code: 0 });
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(new Set(standIn.received.map(({ bodyHash }) => bodyHash)).size).toBe(standIn.received.length);
});

async function connect(run: string): Promise<Connection & AsyncDisposable> {
  const address = await findRunningServer(join(run, '.cupid', 'engine'));
  if (address === undefined) throw new Error('The embedded server does not run.');
  const connection = await Connection.connect({ address });
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.close() });
}

function createOldStamp(purpose: string) {
  return { for: purpose, at: Date.now() - 61_000 };
}

/** Opens the codec with which the run's own processes sign. */
async function openCodec(run: string) {
  const key = await readEngineKey(join(run, '.cupid', 'engine'));
  if (key === undefined) throw new Error('The engine has no key.');
  return createSigningCodec(key, throwForeign);
}

async function readEvents(connection: Connection, workflowId: string) {
  const history = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
  return history.events ?? [];
}

/** Lists the arguments of the accepted updates of this name in a workflow. */
async function listUpdates(connection: Connection, workflowId: string, name: string): Promise<Payload[][]> {
  return (await readEvents(connection, workflowId)).flatMap((event) => {
    const input = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    return input?.name === name ? [input.args?.payloads ?? []] : [];
  });
}

async function listActivities(
  connection: Connection,
  workflowId: string,
  type: string,
): Promise<Payload[][]> {
  return (await readEvents(connection, workflowId)).flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    return scheduled?.activityType?.name === type ? [scheduled.input?.payloads ?? []] : [];
  });
}

/** Sends an update; returns the reason of its failure, undefined on success. */
async function sendUpdate(connection: Connection, workflowId: string, name: string, payloads: Payload[]) {
  const { outcome } = await connection.workflowService.updateWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    request: { meta: { updateId: randomUUID() }, input: { name, args: { payloads } } },
    waitPolicy: { lifecycleStage: COMPLETED },
  });
  return outcome?.failure?.message;
}

async function sendSignal(connection: Connection, workflowId: string, name: string, payloads: Payload[]) {
  await connection.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    signalName: name,
    input: { payloads },
    requestId: randomUUID(),
  });
}

const COMPLETED =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage
    .UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;

/** Runs a workflow that schedules an activity on a queue of the run. Returns the reason of the activity's failure. */
async function runForeignActivity(
  connection: Connection,
  { workflowId, type, queue, input }: { workflowId: string; type: string; queue: string; input: Payload[] },
): Promise<string | null | undefined> {
  const { workflowService } = connection;
  const namespace = 'default';
  const taskQueue = { name: randomUUID() };
  await workflowService.startWorkflowExecution({
    namespace,
    workflowId,
    workflowType: { name: 'foreign' },
    taskQueue,
    requestId: randomUUID(),
  });
  const { taskToken } = await pollWorkflowTask(connection, taskQueue);
  const minutes = msToTs('10 minutes');
  await workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    commands: [
      {
        commandType: temporal.api.enums.v1.CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
        scheduleActivityTaskCommandAttributes: {
          activityId: '1',
          activityType: { name: type },
          taskQueue: { name: queue },
          input: { payloads: input },
          startToCloseTimeout: minutes,
          scheduleToCloseTimeout: minutes,
        },
      },
    ],
  });
  const { history } = await pollWorkflowTask(connection, taskQueue);
  const failed = history?.events?.find((event) => event.activityTaskFailedEventAttributes);
  return failed?.activityTaskFailedEventAttributes?.failure?.message;
}

async function pollWorkflowTask(connection: Connection, taskQueue: { readonly name: string }) {
  for (;;) {
    const task = await connection.withDeadline(Date.now() + 90_000, () =>
      connection.workflowService.pollWorkflowTaskQueue({ namespace: 'default', taskQueue }),
    );
    // After a minute without a task, the server sends an empty answer.
    if (task.taskToken.length > 0) return task;
  }
}

function withoutMetadata({ metadata, data }: Payload): Payload {
  return { metadata: { encoding: metadata?.['encoding'] ?? Buffer.from('json/plain') }, data: data ?? null };
}
