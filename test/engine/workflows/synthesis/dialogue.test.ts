import { readFailedPersonas, readStoredPersonas } from '../../../../data/run/artifacts';
import { ModelError } from '../../../../models/errors/error';
import type { Model, ModelRequest } from '../../../../models/model';
import { buildPersonaWorkflowId } from '../../../../engine/journal/key';
import { buildUserSimulatorOpening } from '../../../../rules/dialogue/messages';
import { fetchHistories, simulated, startRun } from './in-process';

/** Creates a model with the simulated answers, unless `instead` answers or throws. */
function modelThat(instead: (request: ModelRequest) => ReturnType<Model['ask']> | undefined): {
  readonly model: Model;
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const model: Model = {
    async ask(request, signal) {
      requests.push(request);
      return (await instead(request)) ?? simulated.ask(request, signal);
    },
  };
  return { model, requests };
}

/** Creates such a model that always fails the first turn of a user with so many messages, and no other. */
function modelThatFailsOne(messages: number, error: ModelError): Model {
  let failing: string | undefined;
  return modelThat((request) => {
    if (request.step !== 'user' || request.messages.length < messages) return undefined;
    const text = JSON.stringify(request.messages);
    failing ??= text;
    if (text === failing) throw error;
    return undefined;
  }).model;
}

const texts = (requests: readonly ModelRequest[]) => requests.map((one) => JSON.stringify(one));

test('a turn that is interrupted between its two calls continues from the journal, in the same activity', async () => {
  const interrupted = new Set<string>();
  const { model, requests } = modelThat((request) => {
    const dialogue = JSON.stringify(request.messages[0]);
    if (request.step !== 'user' || interrupted.has(dialogue)) return undefined;
    interrupted.add(dialogue);
    throw new ModelError('unavailable', 'Not now.', 10);
  });
  await using started = await startRun({ nPersonas: 1, nSessions: 9, model });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 0 });
  expect(interrupted.size).toBe(8);
  const answered = requests.filter(({ step }) => step !== 'user');
  expect(new Set(texts(answered)).size).toBe(answered.length);
  const [events = []] = await fetchHistories(started.client, buildPersonaWorkflowId(started.runId, 1));
  const activities = events.flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );
  expect(new Set(activities)).toEqual(new Set(['makeCalls', 'keepRecord']));
});

test('a call that gets no answer is what its dialogue fails of, and the answers before it stay', async () => {
  const { model, requests } = modelThat((request) => {
    if (request.step !== 'user' || request.messages.length < 4) return undefined;
    throw new ModelError('context-length', 'Too long for this model.');
  });
  await using started = await startRun({ nPersonas: 1, nSessions: 9, model });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 0, failed: 1 });
  const failed = (await readFailedPersonas(started.files.store)).flat();
  expect(failed[0]).toMatchObject({
    step: 'user',
    turn: 2,
    kind: 'context-length',
    cause: 'Too long for this model.',
    reasons: [],
  });
  expect(new Set(texts(requests)).size).toBe(requests.length);
});

test('a call that its server breaks off each time fails its dialogue, while the others are answered', async () => {
  const model = modelThatFailsOne(4, new ModelError('connection', 'The connection was closed.'));
  await using started = await startRun({ nPersonas: 2, nSessions: 9, model, answersCheck: true });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 1 });
  const [[failed] = []] = await readFailedPersonas(started.files.store);
  expect(failed).toMatchObject({ step: 'user', turn: 2, kind: 'connection', reasons: [] });
  expect(failed?.cause).toMatch(
    /^The connection was closed\. It was sent \d+ times in .+, while \d+ other calls to this model were answered, so the request seems to be the cause\.$/,
  );
});

test('the same where no other call is left, but a short one is answered', async () => {
  const { model } = modelThat((request) => {
    if (request.step !== 'factors') return undefined;
    throw new ModelError('unavailable', 'The server failed.');
  });
  await using started = await startRun({ nPersonas: 1, nSessions: 9, model, answersCheck: true });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 0, failed: 1 });
  const [[failed] = []] = await readFailedPersonas(started.files.store);
  expect(failed?.cause).toMatch(
    /^The server failed\. It was sent 23 times in .+, while a short call to this model was answered,/,
  );
});

test.each([
  ['fails its dialogue where the model answers others', true, { finished: 1, failed: 1 }],
  ['stops the run where the model does not', false, undefined],
])('a request that is rejected as invalid %s', async (_, answersCheck, expected) => {
  const model = modelThatFailsOne(6, new ModelError('bad-request', 'Risky content.'));
  await using started = await startRun({ nPersonas: 2, nSessions: 9, model, answersCheck });
  const result = started.run.result();
  if (expected === undefined) {
    await expect(result).rejects.toMatchObject({ call: { kind: 'bad-request' } });
    return;
  }
  await expect(result).resolves.toMatchObject(expected);
  const [[failed] = []] = await readFailedPersonas(started.files.store);
  expect(failed).toMatchObject({ step: 'user', kind: 'rejected', reasons: [] });
  expect(failed?.cause).toMatch(/^Risky content\. The model has answered other requests of this step,/);
});

test('a dialogue that has not moved for four turns is answered once more, and ends unsatisfied', async () => {
  const reply = buildUserSimulatorOpening('Something is still missing.')
    .replace('#### Evaluation Score\n\nN/A', '#### Evaluation Score\n\n6')
    .replace('#### Selected Checklist Items\n\nN/A', '#### Selected Checklist Items\n\n1 (Dissatisfied)');
  const { model, requests } = modelThat(({ step }) =>
    step === 'user'
      ? Promise.resolve({ text: reply, finish: 'complete', model: 'fixed', usage: {} })
      : undefined,
  );
  await using started = await startRun({ nPersonas: 1, nSessions: 9, stallTurns: 4, model });
  await expect(started.run.result()).resolves.toMatchObject({ finished: 1, failed: 0 });
  const count = (step: string) => requests.filter((request) => request.step === step).length;
  expect([count('user'), count('assistant')]).toEqual([8 * 5, 8 * 6]);
  for await (const { record } of readStoredPersonas(started.files.store)) {
    for (const { chat, is_satisfied: satisfied } of record.interactions) {
      expect([chat.length, chat.at(-1)?.role, satisfied]).toEqual([12, 'assistant', false]);
    }
  }
});
