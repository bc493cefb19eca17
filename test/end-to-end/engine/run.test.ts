import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { readFailedPersonas, readStoredPersonas } from '../../../data/run/artifacts';
import { ModelError } from '../../../models/errors/error';
import type { Model, ModelRequest } from '../../../models/model';
import { buildPersonaWorkflowId } from '../../../engine/journal/key';
import { RunFailed } from '../../../runs/drive/drive';
import { readFailureCause } from '../../../runs/folder/failed-call';
import {
  fetchHistories,
  recordRequests,
  startRun,
  type InProcess,
} from '../../engine/workflows/synthesis/in-process';

/** As little as a persona can be: eight dialogues, which end before their user is satisfied. */
const SMALL = { nSessions: 9, maxTurns: 2 };

const identities = (requests: readonly ModelRequest[]) => new Set(requests.map((one) => JSON.stringify(one)));

const includesCutOff = (request: ModelRequest) => JSON.stringify(request.messages).includes('it was cut off');

/** Waits until this many personas are finished and one is open. Returns its number. */
async function lastOpen(started: InProcess, finished: number): Promise<number> {
  for (;;) {
    const now = await started.run.progress();
    const [only, ...others] = now?.open ?? [];
    if (now?.finished === finished && only !== undefined && others.length === 0) return only;
    await wait(200);
  }
}

async function records(started: InProcess): Promise<string[]> {
  const kept: string[] = [];
  for await (const { record } of readStoredPersonas(started.files.store)) kept.push(record.persona_id);
  return kept;
}

test('a full disk holds the answers that are paid for and asks nothing new, then the run continues by itself', async () => {
  const disk = { full: false, writing: 0 };
  const whileRoom = async <T>(write: () => Promise<T>): Promise<T> => {
    if (disk.full) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    disk.writing += 1;
    try {
      return await write();
    } finally {
      disk.writing -= 1;
    }
  };
  let written = 0;
  const { model, requests } = recordRequests();
  const asked: number[] = [];
  await using started = await startRun({
    nPersonas: 2,
    ...SMALL,
    concurrency: 8,
    model,
    store: (onDisk) => ({
      ...onDisk,
      write: (name, text) => whileRoom(() => onDisk.write(name, text)),
      append: (name, text) => whileRoom(() => onDisk.append(name, text)),
      create(name, text) {
        written += 1;
        if (written === 30) disk.full = true;
        return whileRoom(() => onDisk.create(name, text));
      },
    }),
  });
  // Requests entered into the ledger just before are still sent.
  while (!disk.full || disk.writing > 0) await wait(20);
  asked.push(requests.length);
  await wait(2_000);
  asked.push(requests.length);
  disk.full = false;
  written = Number.NEGATIVE_INFINITY;
  await expect(started.run.result()).resolves.toMatchObject({ finished: 2, failed: 0 });
  expect(asked[1]).toBe(asked[0]);
  expect(started.events).toContainEqual(expect.objectContaining({ type: 'delayed', cause: 'disk-full' }));
  expect(identities(requests).size).toBe(requests.length);
});

// Side by side from here on, each with a server of its own.

test.concurrent('a persona terminated by hand is noticed at the next check, named, and the run ends', async () => {
  const { model } = recordRequests(async ({ step, values }) => {
    if (step === 'journey' && values['user_persona'] !== undefined) await wait(3_000);
  });
  await using started = await startRun({ nPersonas: 2, ...SMALL, model });
  const victim = started.client.workflow.getHandle(buildPersonaWorkflowId(started.runId, 2));
  for (;;) {
    try {
      await victim.terminate('by hand');
      break;
    } catch {
      await wait(100);
    }
  }
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 1 });
  const [work] = (await readFailedPersonas(started.files.store)).flat();
  expect(work?.cause).toContain('closed without reporting an outcome (terminated)');
  expect(work?.persona).toBe(2);
});

test.concurrent('a persona terminated by hand after its run has continued as new is noticed, named, and the run ends', async () => {
  let held: string | undefined;
  const releasing = new AbortController();
  const released = once(releasing.signal, 'abort');
  const { model } = recordRequests(async ({ step, values }) => {
    if (step !== 'journey') return;
    held ??= values['user_persona'];
    if (values['user_persona'] === held) await released;
  });
  await using started = await startRun({
    nPersonas: 6,
    ...SMALL,
    model,
    dynamic: { 'limit.historyCount.suggestContinueAsNew': '30' },
  });
  using _released = { [Symbol.dispose]: () => releasing.abort() };
  const { workflow } = started.client;
  const victim = await lastOpen(started, 5);
  const ofVictim = workflow.getHandle(buildPersonaWorkflowId(started.runId, victim));
  const { parentExecution } = await ofVictim.describe();
  const run = workflow.getHandle(started.runId);
  while ((await run.describe()).runId === parentExecution?.runId) await wait(200);
  await ofVictim.terminate('by hand');
  await expect(started.run.result()).resolves.toMatchObject({ finished: 5, failed: 1, instances: 15 });
  const [work] = (await readFailedPersonas(started.files.store)).flat();
  expect(work?.cause).toContain('closed without reporting an outcome (terminated)');
  expect(work?.persona).toBe(victim);
});

test.concurrent('a persona that was cancelled by hand, and could not tell, is started again from the journal', async () => {
  const { model, requests } = recordRequests(async ({ step }) => {
    if (step === 'journey') await wait(3_000);
  });
  await using started = await startRun({ nPersonas: 2, ...SMALL, model });
  const cancelled = started.client.workflow.getHandle(buildPersonaWorkflowId(started.runId, 2));
  for (;;) {
    try {
      await cancelled.cancel();
      break;
    } catch {
      await wait(100);
    }
  }
  await expect(started.run.result()).resolves.toMatchObject({ finished: 2, failed: 0, instances: 6 });
  expect(identities(requests).size).toBe(requests.length);
});

test.concurrent('a refused key stops the run without failing a persona, and the same run continues once it is fixed', async () => {
  let refused = true;
  const { model, requests } = recordRequests(({ step }) => {
    if (refused && step === 'journey') throw new ModelError('bad-key', 'The key was refused.');
  });
  await using started = await startRun({ nPersonas: 3, ...SMALL, model });
  const stopped = await started.run.result().catch((error: unknown) => error);
  if (!(stopped instanceof RunFailed) || stopped.call === undefined) throw stopped;
  expect(stopped.call.kind).toBe('bad-key');
  expect(await readFailureCause(started.files.store, stopped.call)).toBe('The key was refused.');
  expect(await readFailedPersonas(started.files.store)).toEqual([]);
  refused = false;
  await using again = await started.driveAgain();
  await expect(again.result()).resolves.toMatchObject({ finished: 3, failed: 0 });
  const factors = requests.filter(({ step }) => step === 'factors');
  expect(identities(factors).size).toBe(factors.length);
});

test.concurrent('an error nobody classified is tried three times, then fails its persona by name and no other', async () => {
  let victim: string | undefined;
  let tries = 0;
  const { model } = recordRequests((request) => {
    if (request.step !== 'factors') return;
    victim ??= request.values['user_persona'];
    if (request.values['user_persona'] !== victim) return;
    tries += 1;
    throw new TypeError('undefined is not a model');
  });
  await using started = await startRun({ nPersonas: 3, ...SMALL, model });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 2, failed: 1, instances: 6 });
  expect(tries).toBe(3);
  const [work] = (await readFailedPersonas(started.files.store)).flat();
  expect(work).toMatchObject({ step: 'factors', kind: 'unexpected', cause: 'undefined is not a model' });
});

test.concurrent('an assistant whose answer was cut off is asked the bare question again, so that no reason can show in a dialogue', async () => {
  const { model, requests } = recordRequests();
  const cutting: Model = {
    async ask(request, signal) {
      const answer = await model.ask(request, signal);
      return request.step !== 'user' && request.attempt < 2 ? { ...answer, finish: 'length' } : answer;
    },
  };
  await using started = await startRun({ nPersonas: 1, ...SMALL, model: cutting });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 0 });
  const again = requests.filter(({ attempt }) => attempt > 0);
  const assistant = again.filter(({ step }) => step === 'assistant');
  expect(assistant.length).toBeGreaterThan(0);
  expect(assistant.filter(includesCutOff)).toEqual([]);
  expect(new Set(assistant.map(({ seed }) => seed)).size).toBe(assistant.length);
  const others = again.filter(({ step }) => step !== 'assistant');
  expect(others.length).toBeGreaterThan(0);
  expect(others.every(includesCutOff)).toBe(true);
});

test.concurrent('a score and a decision that disagree are asked once more, then the score decides and it is recorded', async () => {
  const { model, requests } = recordRequests();
  const contradictory: Model = {
    async ask(request, signal) {
      const answer = await model.ask(request, signal);
      if (request.step !== 'user') return answer;
      return {
        ...answer,
        text: answer.text.replace(/^(CONTINUE|END)$/m, (word) => (word === 'END' ? 'CONTINUE' : 'END')),
      };
    },
  };
  await using started = await startRun({ nPersonas: 1, nSessions: 9, model: contradictory });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 0 });
  const users = requests.filter(({ step }) => step === 'user');
  expect(users.filter(({ attempt }) => attempt === 1)).toHaveLength(users.length / 2);
  for await (const kept of readStoredPersonas(started.files.store)) {
    expect(kept.disagreements).toHaveLength(users.length / 2);
    // A dialogue ends with a 10, or at the turn limit.
    for (const { chat, is_satisfied } of kept.record.interactions) {
      const said = chat.filter(({ role }) => role === 'user').length;
      expect(is_satisfied).toBe(said < started.files.settings.maxTurns);
    }
    expect(kept.record.interactions.some((one) => one.is_satisfied)).toBe(true);
  }
});

test.concurrent('a run that continues as new again and again loses no persona and makes no call twice', async () => {
  const { model, requests } = recordRequests();
  await using started = await startRun({
    nPersonas: 12,
    ...SMALL,
    concurrency: 16,
    model,
    dynamic: { 'limit.historyCount.suggestContinueAsNew': '30' },
  });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 12, failed: 0, instances: 36 });
  expect((await fetchHistories(started.client, started.runId)).length).toBeGreaterThan(2);
  expect(await records(started)).toHaveLength(12);
  expect(identities(requests).size).toBe(requests.length);
});

test.concurrent('personas with one dialogue left make room for others before they close', async () => {
  const release = new AbortController();
  const dialogues = new Map<string, number>();
  const { model } = recordRequests(async ({ step, values, messages }) => {
    if (step !== 'user' || messages.length > 2) return;
    const profile = values['user_profile'] ?? '';
    const number = 1 + (dialogues.get(profile) ?? 0);
    dialogues.set(profile, number);
    if (number === 8 && !release.signal.aborted) await once(release.signal, 'abort');
  });
  // Room for 48 dialogues: six personas of eight.
  await using started = await startRun({ nPersonas: 7, ...SMALL, concurrency: 8, model });
  try {
    const most = 7;
    for (;;) {
      const now = await started.run.progress();
      expect(now?.finished ?? 0).toBe(0);
      if (now?.open.length === most && dialogues.size === most) break;
      await wait(200);
    }
    await wait(1_000);
    expect((await started.run.progress())?.open).toHaveLength(most);
  } finally {
    release.abort();
  }
  await expect(started.run.result()).resolves.toMatchObject({ finished: 7, failed: 0 });
});
