import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { buildBatches } from '../../../engine/journal/batches';
import { planRegeneration, planRetry, type PlannedRestarts } from '../../../runs/synthesize/restarts';
import {
  readFailedPersonas,
  readStoredPersonas,
  supersedeFailure,
  supersedePersonas,
} from '../../../data/run/artifacts';
import { writePlan, readPlan, type RunPlan } from '../../../data/run/inputs';
import { ModelError } from '../../../models/errors/error';
import type { Model, ModelRequest } from '../../../models/model';
import { buildPersonaWorkflowId } from '../../../engine/journal/key';
import { buildRunQueueName } from '../../../engine/task-queues';
import type { StoredPersona } from '../../../schemas/dataset/record';
import type { run } from '../../../workflows/synthesis/run';
import {
  CHECK_INTERVAL_MS,
  recordRequests,
  startRun,
  type InProcess,
} from '../../engine/workflows/synthesis/in-process';

const SHORT = { nSessions: 9, maxTurns: 1 };

// Side by side, each with a server of its own.

test.concurrent('a persona that is made again keeps its record in the data until a new one is complete', async () => {
  const state = { broken: false };
  const { model } = recordRequests(({ step }) => {
    if (step === 'journey' && state.broken) throw new ModelError('context-length', 'Too long.');
  });
  await using started = await startRun({ nPersonas: 2, ...SHORT, model });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 2, failed: 0, personas: 2 });
  const before = await records(started);
  state.broken = true;

  await retried(started, (plan) => planRegeneration(plan, { personas: [2], redescribe: false }, true), 1);
  expect(await records(started)).toEqual(before);
  expect((await readFailedPersonas(started.files.store)).flat()).toMatchObject([
    { persona: 2, step: 'journey' },
  ]);
  state.broken = false;
  await retried(started, (plan, failures) => planRetry(plan, failures, {}, true));
  const after = await records(started);
  expect(after[0]).toEqual(before[0]);
  expect(after[1]?.record.context_factors).not.toEqual(before[1]?.record.context_factors);
  expect(await started.files.store.list('earlier-records')).toEqual([]);
});

test.concurrent('personas whose batch could not be described are described one by one when they are retried', async () => {
  const state = { isFixed: false };
  const { model, requests } = recordRequests(({ step }) => {
    if (step === 'describe' && !state.isFixed) throw new ModelError('context-length', 'Too long.');
  });
  await using started = await startRun({ nPersonas: 3, ...SHORT, model });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 0, failed: 3 });
  const asked = requests.length;
  state.isFixed = true;

  await retried(started, (plan, failures) => planRetry(plan, failures, { only: ['1', '3'] }, true), 1);
  expect(requests.slice(asked).filter(({ step }) => step === 'describe')).toHaveLength(2);
  expect((await records(started)).map(({ record }) => record.persona.id)).toEqual([1, 3]);
  expect((await readFailedPersonas(started.files.store)).flat()).toMatchObject([
    { persona: 2, step: 'describe' },
  ]);
});

test.concurrent('work that was ended from outside continues from the journal: no call is made again', async () => {
  const { model, requests } = recordRequests();
  const releasing = new AbortController();
  const released = once(releasing.signal, 'abort');
  // No dialogue comes to its end before its persona was ended.
  const waiting: ModelRequest[] = [];
  const held: Model = {
    async ask(request, signal) {
      if (request.step === 'assistant') {
        waiting.push(request);
        await released;
      }
      return model.ask(request, signal);
    },
  };
  await using started = await startRun({ nPersonas: 2, nSessions: 9, maxTurns: 3, model: held });
  using _released = { [Symbol.dispose]: () => releasing.abort() };
  while (waiting.length < 16) await wait(100);
  await started.client.workflow.getHandle(buildPersonaWorkflowId(started.runId, 2)).terminate('by hand');
  releasing.abort();
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 1 });
  const planned = await retried(started, (plan, failures) => planRetry(plan, failures, {}, true));
  expect(planned).toMatchObject({ resumed: [2], plan: { inputs: { restarts: [] } } });
  expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(requests.length);
});

/** Has something restarted in a run that has ended, as the command would, and waits until the run has ended again. */
async function retried(
  started: InProcess,
  planning: (plan: RunPlan, failures: Awaited<ReturnType<typeof readFailedPersonas>>) => PlannedRestarts,
  failed = 0,
): Promise<PlannedRestarts> {
  const { store } = started.files;
  const planned = planning(await readPlan(store), await readFailedPersonas(store));
  await writePlan(store, planned.plan);
  const { settings, restarts, ...inputs } = planned.plan.inputs;
  await supersedePersonas(store, restarts);
  for (const persona of planned.resumed) await supersedeFailure(store, persona);
  const batches = buildBatches({ ...inputs, settings, restarts });
  const result = await started.client.workflow.execute<typeof run>('run', {
    workflowId: started.runId,
    taskQueue: buildRunQueueName(started.runId),
    args: [{ settings, batches, restarts, window: 4, checkIntervalMs: CHECK_INTERVAL_MS }],
  });
  expect(result).toMatchObject({ finished: settings.nPersonas - failed, failed });
  return planned;
}

async function records(started: InProcess): Promise<StoredPersona[]> {
  const kept: StoredPersona[] = [];
  for await (const one of readStoredPersonas(started.files.store)) kept.push(one);
  return kept;
}
