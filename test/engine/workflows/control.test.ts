import { FlexCapacity } from '../../../activities/flex-capacity';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { CallGate, CallTurnedAway, GateStopped, type PlannedCall } from '../../../activities/call-gate';
import { synthesisActivities } from '../../../activities';
import type { SynthesisFiles } from '../../../activities/synthesis/files';
import { startControl } from '../../../client/control';
import { openLeases, type Directives, type WorkerLeases } from '../../../client/leases';
import { planRun, readWanted } from '../../../client/inputs';
import { startReporting } from '../../../client/reporting';
import { openJournal } from '../../../data/journal';
import { readLedger } from '../../../client/ledgers';
import { tableFor } from '../../../data/model-table';
import { readSteering } from '../../../data/steering';
import { folderStore, type Store } from '../../../data/store';
import { controlWorkflowId, limitsWorkflowId } from '../../../rules/journal-key';
import { totalsOf } from '../../../rules/ledger';
import { tokensOf } from '../../../rules/prices';
import type { WantedSteering } from '../../../rules/steering';
import { runQueue } from '../../../rules/task-queues';
import type { JournalEntry } from '../../../schemas/journal';
import { synthesisSettingsSchema } from '../../../schemas/settings';
import { steeringSchema, type Steering } from '../../../schemas/steering';
import { RunLedger } from '../../../workers/run-ledger';
import { controlState, modelState, report, steer, type ControlState } from '../../../workflows/messages';
import { until } from '../../end-to-end/processes';
import { gateOf } from './guards';
import { simulated, startHost, type Host } from './in-process';
import { priceTable } from '../../price-table';

jest.setTimeout(200_000);

// Side by side, since most of each is waiting for what is told every so often.

const MODEL = 'simulated:default';
/** What every call takes, and what it is expected to take. */
const TAKES = { input: 60, output: 40 };
const EXPECTED = { input: 60, output: 60 };
const PRICES = priceTable({ [MODEL]: { input: 1, output: 1 } });

test.concurrent('a budget is used up by those that are left when a worker dies: its lease comes back, its lost calls are charged as expected', async () => {
  const cap = 60_000;
  await using stage = await startStage({ budget: { unit: 'tokens', cap } });
  await using first = await stage.enter('first');
  await using second = await stage.enter('second');
  first.work(4);
  second.work(4);
  while (second.answered < 30 || first.answered < 30) {
    const { spent } = await stage.state();
    expect(spent.tokens).toBeLessThanOrEqual(cap + 8 * 120);
    await wait(20);
  }
  await until(() => second.unanswered > 1);
  const lost = await second.die();
  const state = await stage.untilUsedUp([first, second]);
  expect(state.paused).toMatchObject({ by: 'budget', cap });
  const ledger = await readLedger(stage.store);
  expect(tokensOf(ledger)).toBeLessThanOrEqual(cap + 8 * 120);
  expect(tokensOf(ledger)).toBeGreaterThan(cap * 0.99 - 120);
  expect(totalsOf(ledger)).toMatchObject({
    calls: first.answered + second.answered,
    lost,
    assumed: { input: lost * EXPECTED.input, output: lost * EXPECTED.output },
  });
  // What the engine has is what the folder has.
  expect(state.spent.tokens).toBe(tokensOf(ledger));
});

test.concurrent('a pause is gone by at once by every worker, and kept; a second one is refused', async () => {
  await using stage = await startStage({});
  await using first = await stage.enter('first');
  await using second = await stage.enter('second');
  first.work(4);
  second.work(4);
  await until(() => first.answered > 10 && second.answered > 10);
  expect((await stage.steer({ paused: true })).paused).toEqual({ by: 'user' });
  expect((await readSteering(stage.store)).paused).toBe(true);
  await until(() =>
    [first, second].every((hand) => hand.directives?.paused !== undefined && hand.gate.inFlight === 0),
  );
  const sent = first.sent + second.sent;
  const drainedAt = performance.now();
  await until(async () => {
    const { spent, workers } = await stage.state();
    const drained = workers.every(({ inFlight }) => inFlight === 0);
    return drained && spent.tokens === (first.answered + second.answered) * 100;
  });
  // Sooner than the next report would come.
  expect(performance.now() - drainedAt).toBeLessThan(5_000);
  await expect(stage.steer({ paused: true })).rejects.toThrow(WorkflowUpdateFailedError);
  await wait(1_000);
  expect(first.sent + second.sent).toBe(sent);
  expect((await stage.steer({ paused: false })).paused).toBeUndefined();
  await until(() => first.sent + second.sent > sent + 20);
  expect((await readSteering(stage.store)).paused).toBe(false);
});

test('orders reach many workers that came at once, more than a server keeps updates of one workflow for, and none of them is taken for gone', async () => {
  await using stage = await startStage({});
  const workers = await Promise.all(Array.from({ length: 16 }, (_, index) => stage.enter(`worker-${index}`)));
  await using _ended = {
    [Symbol.asyncDispose]: async () => void (await Promise.all(workers.map((worker) => worker.leave()))),
  };
  for (const worker of workers) worker.work(1);
  await until(() => workers.every(({ answered }) => answered > 0));
  for (const paused of [true, false, true]) {
    await stage.steer({ paused });
    await until(() => workers.every(({ directives }) => (directives?.paused !== undefined) === paused));
  }
  await until(() => workers.every(({ gate }) => gate.inFlight === 0));
  const calls = workers.reduce((sum, { answered }) => sum + answered, 0);
  await until(async () => (await stage.state()).spent.tokens === calls * 100);
  const { workers: known } = await stage.state();
  expect(totalsOf(await readLedger(stage.store)).lost).toBe(0);
  expect(known).toHaveLength(workers.length);
});

test.concurrent('calls in flight that are set are divided among the workers, anew when one comes or goes, and none is left without', async () => {
  await using stage = await startStage({});
  await using first = await stage.enter('first');
  await until(() => first.concurrency === CONCURRENCY);
  await stage.steer({ concurrency: 5 });
  await until(() => first.concurrency === 5);
  await using second = await stage.enter('second');
  await until(() => first.concurrency === 3 && second.concurrency === 2);
  first.work(10);
  second.work(10);
  await until(() => first.answered > 10 && second.answered > 10);
  await expect(stage.steer({ concurrency: 1 })).rejects.toThrow(WorkflowUpdateFailedError);
  await stage.steer({ concurrency: 2 });
  await until(() => first.concurrency === 1 && second.concurrency === 1);
  await using third = await stage.enter('third');
  third.work(2);
  // Somebody else is to send what it took on.
  await until(() => third.concurrency === 0 && third.givenBack > 2);
  await third.leave();
  await stage.steer({ concurrency: 6 });
  await until(() => first.concurrency === 3 && second.concurrency === 3);
  await second.leave();
  await until(() => first.concurrency === 6);
  expect([first, second, third].filter(({ wentBeyond }) => wentBeyond)).toEqual([]);
});

test.concurrent('limits that are set reach the model, and what a worker may have in flight', async () => {
  await using stage = await startStage({});
  await using first = await stage.enter('first');
  await using second = await stage.enter('second');
  first.work(8);
  second.work(8);
  await until(() => first.answered > 10 && second.answered > 10);
  const limits = { inFlight: 4 };
  await stage.steer({ limits: { [MODEL]: limits } });
  expect((await readSteering(stage.store)).limits).toEqual({ [MODEL]: limits });
  await until(async () => (await stage.modelState()).limits.inFlight === 4);
  const inFlight = () => first.gate.inFlight + second.gate.inFlight;
  await until(() => inFlight() <= 4);
  // At any one moment: one's share may grow when the other's has shrunk.
  let most = 0;
  first.sending = second.sending = () => (most = Math.max(most, inFlight()));
  const [ofFirst, ofSecond] = [first.answered, second.answered];
  await until(() => first.answered > ofFirst + 10 && second.answered > ofSecond + 10);
  expect(most).toBeLessThanOrEqual(4);
  await expect(stage.steer({ limits: { 'simulated:other': limits } })).rejects.toThrow(
    WorkflowUpdateFailedError,
  );
});

test.concurrent('a budget of another unit counts what was spent before it, and nobody spends what was leased in the old unit', async () => {
  await using stage = await startStage({ budget: { unit: 'tokens', cap: 1_000_000 } });
  await using first = await stage.enter('first');
  first.work(4);
  await until(() => first.answered > 50);
  // So that it is known what is spent when the budget is set; of what was leased, most is not.
  await stage.steer({ paused: true });
  await until(() => first.directives?.paused !== undefined && first.atWork === 0);
  const all = first.answered + 100;
  const cap = (all * (TAKES.input + TAKES.output)) / 1e6;
  await stage.steer({ paused: false, budget: { unit: 'usd', cap }, modelTable: PRICES });
  await stage.untilUsedUp([first]);
  await until(() => first.directives?.paused !== undefined);
  expect(first.directives?.paused).toMatchObject({ by: 'budget', cap });
  expect(first.answered).toBeGreaterThan(all * 0.99 - 1);
  expect(first.answered).toBeLessThanOrEqual(all + 4);
});

test.concurrent('a first budget is refused when more than that is spent already', async () => {
  await using stage = await startStage({});
  await using first = await stage.enter('first');
  first.work(4);
  await until(async () => (await stage.state()).spent.tokens > 1_000);
  await expect(stage.steer({ budget: { unit: 'tokens', cap: 500 } })).rejects.toThrow(
    WorkflowUpdateFailedError,
  );
  expect((await stage.state()).steering.budget).toBeUndefined();
});

test.concurrent('a control workflow that continues as new again and again loses nothing: orders go on, and so do a pause and a budget', async () => {
  const cap = 12_000;
  await using stage = await startStage({ budget: { unit: 'tokens', cap } }, FORGETFUL);
  await using first = await stage.enter('first');
  await using second = await stage.enter('second');
  first.work(4);
  second.work(4);
  await until(() => first.answered + second.answered > 40);
  await stage.steer({ paused: true });
  await stage.untilNewRuns(2, ({ paused }) => expect(paused).toEqual({ by: 'user' }));
  await stage.steer({ paused: false, concurrency: 6 });
  const before = await stage.untilUsedUp([first, second]);
  await stage.untilNewRuns(2, ({ paused, steering, spent }) => {
    expect(paused).toMatchObject({ by: 'budget', cap });
    expect(steering).toMatchObject({ concurrency: 6, budget: { cap } });
    expect(spent).toEqual(before.spent);
  });
  expect(before.spent.tokens).toBeLessThanOrEqual(cap + 8 * 120);
  expect(before.spent.tokens).toBeGreaterThan(cap * 0.98 - 120);

  await second.leave();
  await stage.steer({ budget: { unit: 'tokens', cap: cap * 2 } });
  const after = await stage.untilUsedUp([first, second]);
  expect(after.spent.tokens).toBeLessThanOrEqual(cap * 2 + 4 * 120);
  expect(after.spent.tokens).toBeGreaterThan(cap * 2 * 0.98 - 120);
});

test.concurrent('what a worker reports in days leaves nothing behind: no call, and nothing that listens for its end', async () => {
  await using stage = await startStage({});
  const signals: AbortSignal[] = [];
  const { client } = stage;
  const withAbortSignal = client.withAbortSignal.bind(client);
  jest.spyOn(client, 'withAbortSignal').mockImplementation((signal, call) => {
    signals.push(signal);
    return withAbortSignal(signal, call);
  });
  let answered = 0;
  const reporting = startReporting({
    client,
    workflowId: controlWorkflowId(RUN),
    report: () => VISIT,
    onAnswer: () => ((answered += 1), 0),
    start: async () => undefined,
    onUnresponsive: () => undefined,
  });
  await using _ended = { [Symbol.asyncDispose]: () => reporting.stop() };
  await until(() => answered >= 30);
  // One for each report: what listens for the end of one is forgotten with it.
  expect(new Set(signals).size).toBe(signals.length);
  expect(signals.filter(({ aborted }) => !aborted).length).toBeLessThanOrEqual(1);
});

/** Most calls in flight of a worker, as its command says. */
const CONCURRENCY = 16;

const RUN = 'cupid-00000001';

/** A history this short is left after a few reports. */
const FORGETFUL = { 'limit.historyCount.suggestContinueAsNew': '60' };

/** A run that is steered, and nothing else of it: a real server, the real workflows, and a store. */
async function startStage(steering: Partial<Steering>, dynamic: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'cupid-control-'));
  const store = folderStore(join(folder, 'store'));
  const host = await startHost({
    id: RUN,
    folder,
    gate: gateOf(1),
    concurrency: 1,
    activities: synthesisActivities({
      gate: gateOf(1),
      ledger: () => new RunLedger(store, 'nobody', () => undefined),
      observe: () => undefined,
      model: () => simulated,
      tierOf: () => new FlexCapacity(MODEL, 'standard', undefined),
      run: () => filesOf(store),
    }),
    dynamic,
  });
  await startControl(host.engine, {
    run: RUN,
    models: [MODEL],
    store,
    limitsQueue: runQueue(RUN),
    steering: steeringSchema.parse(steering),
    wanted: {},
    settled: {},
  });
  const control = () => host.client.workflow.getHandle(controlWorkflowId(RUN));
  const state = () => control().query(controlState);
  const untilState = async (holds: (state: ControlState) => boolean): Promise<ControlState> => {
    for (;;) {
      const now = await state();
      if (holds(now)) return now;
      await wait(100);
    }
  };
  return {
    client: host.client,
    store,
    state,
    enter: (name: string) => enter(host, store, name),
    steer: (change: WantedSteering) => control().executeUpdate(steer, { args: [change] }),
    modelState: () => host.client.workflow.getHandle(limitsWorkflowId(MODEL)).query(modelState),
    /** Waits until the budget is used up for good, and every call of all workers there were is told. */
    untilUsedUp: (hands: readonly Hand[]) =>
      untilState(
        (now) =>
          isUsedUp(now) &&
          now.workers.length === hands.filter(({ isGone }) => !isGone).length &&
          hands.every(({ atWork }) => atWork === 0) &&
          now.spent.tokens ===
            hands.reduce((sum, { answered, lost }) => sum + answered * 100 + lost * 120, 0),
      ),
    /** Has the workflow continue as new so many times, and looks at its state all the while. */
    async untilNewRuns(times: number, look: (state: ControlState) => void): Promise<void> {
      const runs = new Set<string>();
      while (runs.size <= times) {
        runs.add((await control().describe()).runId);
        look(await state());
        await control().executeUpdate(report, { args: [VISIT] });
      }
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * True once a run is paused for good by its budget: a pause is lifted again when the calls that were in flight took less than
 * was expected of them, or another worker gives back what it had leased.
 */
function isUsedUp({ paused, workers }: ControlState): boolean {
  return (
    paused?.by === 'budget' &&
    paused.cap - paused.spent < paused.cap * 0.005 &&
    workers.every(({ inFlight }) => inFlight === 0)
  );
}

/** Somebody who only looks in. */
const VISIT = {
  worker: 'visitor',
  run: RUN,
  kind: 'synthesis',
  sequence: 1,
  known: 0,
  leased: {},
  used: {},
  waiting: 0,
  answered: 0,
  failures: 0,
  usage: { spent: { usd: 0, tokens: 0 }, wantsBudget: false, perMinute: 0, concurrency: 1 },
  leaving: true,
} as const;

async function filesOf(store: Store): Promise<SynthesisFiles> {
  const models = { synthesis: MODEL, user: MODEL, assistant: MODEL };
  const { inputs, prompts } = await planRun(await readWanted(synthesisSettingsSchema.parse({ models }), {}));
  const { settings, seeds } = inputs;
  const journal = openJournal(store);
  const own = { codeVersion: 'test', scratch: '' };
  return { id: RUN, store, journal, settings, seeds, templates: new Map(), prompts, ...own };
}

/** A worker's process as the control workflow knows it: its ledger, gate and leases are real, and only its calls are made up. */
class Hand implements AsyncDisposable {
  directives: Directives | undefined;
  /** Called when a call is sent. */
  sending: () => void = () => undefined;
  /** True once it had more calls in flight than its orders allowed when one was sent. */
  wentBeyond = false;
  sent = 0;
  answered = 0;
  givenBack = 0;
  isGone = false;
  #calls = 0;
  #lost = 0;
  #dead = false;

  constructor(
    private readonly name: string,
    readonly gate: CallGate,
    private readonly ledger: RunLedger,
    private readonly store: Store,
    private readonly leases: () => WorkerLeases,
    private readonly line: Line,
  ) {}

  /** Its most calls in flight, by its lease. */
  get concurrency(): number {
    return this.leases().guardsOf({ spec: MODEL })[0].inFlight;
  }

  get lost(): number {
    return this.#lost;
  }

  get unanswered(): number {
    return this.sent - this.answered;
  }

  /** Calls of which something may still be told. */
  get atWork(): number {
    return this.gate.inFlight - this.#lost;
  }

  /** Makes so many calls at a time, one after the other. */
  work(atOnce: number): void {
    const one = async () => {
      while (!this.#dead) {
        try {
          await this.#call();
        } catch (error) {
          if (!(error instanceof CallTurnedAway)) throw error;
          this.givenBack += 1;
          await wait(100);
        }
      }
    };
    for (let count = 0; count < atOnce; count += 1) {
      one().catch((error: unknown) => {
        if (!(error instanceof GateStopped)) throw error;
      });
    }
  }

  async #call(): Promise<void> {
    this.#calls += 1;
    const key = `${RUN}/${this.name}#g0.user.t${this.#calls}.a0`;
    const call: PlannedCall = { run: RUN, key, spec: MODEL, step: 'user', estimate: EXPECTED };
    await this.gate.pass(call, async () => {
      this.sending();
      this.wentBeyond ||= this.gate.inFlight > this.concurrency;
      const sent = await this.ledger.sent({ ...call, tier: 'standard' });
      this.sent += 1;
      await wait(20);
      if (this.#dead) {
        // Whoever is dead hears no answer.
        this.#lost += 1;
        await new Promise<never>(() => undefined);
      }
      const entry = entryOf(key);
      await openJournal(this.store).append(entry);
      this.answered += 1;
      await sent.answered(entry, 'good');
      return entry;
    });
  }

  /** Is there no more, from one moment to the next; returns how many calls it had in flight. */
  async die(): Promise<number> {
    this.isGone = this.#dead = true;
    this.line.cut();
    this.gate.stop();
    // What had its answer is still written down: it might have died a moment later.
    await until(() => this.atWork === 0);
    await this.leases().stop();
    return this.#lost;
  }

  /** Ends its calls and says goodbye. */
  async leave(): Promise<void> {
    this.isGone = true;
    this.gate.stop();
    await this.gate.idle();
    await this.leases().stop();
    this.line.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#dead) await this.leave();
  }
}

async function enter(host: Host, store: Store, name: string): Promise<Hand> {
  const line = await startLine(host.engine.connection.address ?? '');
  const late: { leases?: WorkerLeases } = {};
  const ledger = new RunLedger(store, name, () => late.leases?.usageChanged());
  const gate = new CallGate((call) => late.leases?.guardsOf(call) ?? []);
  const leases = () => {
    if (late.leases === undefined) throw new Error('It is not there yet.');
    return late.leases;
  };
  const hand = new Hand(name, gate, ledger, store, leases, line);
  let table = tableFor({});
  late.leases = await openLeases(
    { connection: { address: line.address }, namespace: 'default' },
    {
      run: RUN,
      kind: 'synthesis',
      limitsQueue: runQueue(RUN),
      store,
      onUnresponsive: () => undefined,
      worker: name,
      models: [MODEL],
      concurrency: CONCURRENCY,
      activity: () => ({ spent: ledger.spent(table), perMinute: ledger.perMinute }),
      waiting: (of) => gate.count(of),
      onChange: () => gate.reconsider(),
      onDirectives(directives) {
        hand.directives = directives;
        if (directives.modelTable !== undefined) table = tableFor(directives);
      },
    },
  );
  return hand;
}

function entryOf(key: string): JournalEntry {
  return {
    key,
    request: 'hash',
    settings: '',
    spec: MODEL,
    answer: { text: 'Yes.', finish: 'complete', model: 'default', usage: TAKES },
    milliseconds: 20,
  };
}

/** A way to the server that can be cut. */
interface Line {
  readonly address: string;
  readonly cut: () => void;
}

async function startLine(to: string): Promise<Line> {
  const { hostname, port } = new URL(`http://${to}`);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = server.address();
  if (own === null || typeof own === 'string') throw new Error('The line does not listen.');
  return {
    address: `127.0.0.1:${own.port}`,
    cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
