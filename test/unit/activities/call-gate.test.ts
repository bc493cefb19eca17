import {
  CallGate,
  CallTurnedAway,
  GateStopped,
  type CallEnd,
  type Guard,
  type PlannedCall,
} from '../../../activities/call-gate';
import { ModelError } from '../../../models/error';
import type { JournalEntry } from '../../../schemas/journal';

describe('a call', () => {
  test('is sent once all of its guards admit it, and no earlier', async () => {
    const [ofRun, ofModel] = [new Admission(), new Admission()];
    const gate = new CallGate(() => [ofRun, ofModel]);
    const { sent, pass } = asked(gate);
    ofRun.open = false;
    const passed = pass('a');
    await settled();
    expect(sent).toEqual([]);
    ofRun.open = true;
    ofModel.open = false;
    gate.reconsider();
    await settled();
    expect(sent).toEqual([]);
    ofModel.open = true;
    gate.reconsider();
    await expect(passed).resolves.toMatchObject({ key: 'a' });
    expect(sent).toEqual(['a']);
  });

  test('goes in the order in which calls came, but none waits for one that its own guards hold', async () => {
    const held = new Admission();
    const gate = new CallGate(({ spec }) => (spec === 'held' ? [held] : []));
    held.open = false;
    const { sent, pass } = asked(gate);
    const passed = [pass('a', 'held'), pass('b'), pass('c', 'held'), pass('d')];
    await settled();
    expect(sent).toEqual(['b', 'd']);
    expect(gate.count(({ spec }) => spec === 'held')).toBe(2);
    held.open = true;
    gate.reconsider();
    await Promise.all(passed);
    expect(sent).toEqual(['b', 'd', 'a', 'c']);
  });

  test('is counted by its guards before the next is looked at: a guard that admits one lets one through', async () => {
    const one = new Admission(1);
    const gate = new CallGate(() => [one]);
    const { sent, pass, answer } = asked(gate, true);
    const passed = [pass('a'), pass('b'), pass('c')];
    await settled();
    expect(sent).toEqual(['a']);
    answer('a');
    await settled();
    expect(sent).toEqual(['a', 'b']);
    answer('b');
    await settled();
    answer('c');
    await Promise.all(passed);
    expect(one.most).toBe(1);
  });

  test('tells its guards that it waits, enters and leaves, and with what', async () => {
    const guard = new Admission();
    const gate = new CallGate(() => [guard]);
    const { pass } = asked(gate);
    const entry = await pass('a');
    expect(guard.told).toEqual(['waiting a', 'entered a', 'left a']);
    expect(guard.ends).toEqual([{ entry }]);
  });

  test.each<[string, Error, CallEnd]>([
    [
      'a failure that passes by itself, with the time the provider asks for',
      new ModelError('rate-limit', 'Slow down.', 4_000),
      { failure: { kind: 'rate-limit', message: 'Slow down.', retryAfterMs: 4_000 } },
    ],
    [
      'one that passes without such a time',
      new ModelError('connection', 'Gone.'),
      { failure: { kind: 'connection', message: 'Gone.' } },
    ],
    [
      'nothing of a key that is refused: that says nothing of how the model is',
      new ModelError('bad-key', 'No.'),
      {},
    ],
    ['nothing of an error of our own', new TypeError('undefined is not a model'), {}],
  ])('that gets no answer tells its guards %s, and fails with it', async (_, error, end) => {
    const guard = new Admission();
    const gate = new CallGate(() => [guard]);
    await expect(gate.pass(call('a'), () => Promise.reject(error))).rejects.toBe(error);
    expect(guard.ends).toEqual([end]);
    expect(gate.inFlight).toBe(0);
  });
});

describe('calls that nothing can send from here', () => {
  test('are given back for another process, those that wait and those that come, and others go on', async () => {
    const away = new Admission();
    const gate = new CallGate(({ spec }) => (spec === 'away' ? [away] : []));
    const { sent, pass } = asked(gate);
    away.open = false;
    const waiting = pass('a', 'away');
    await settled();
    away.turnsAway = () => true;
    gate.reconsider();
    await expect(waiting).rejects.toThrow(CallTurnedAway);
    await expect(pass('b', 'away')).rejects.toThrow(CallTurnedAway);
    await pass('c');
    expect(sent).toEqual(['c']);
    expect(away.told).toEqual(['waiting a', 'waiting b']);
  });
});

describe('a gate that holds', () => {
  test('lets nothing begin until every hold is over, and what is in flight end', async () => {
    const gate = new CallGate(() => []);
    const { sent, pass, answer } = asked(gate, true);
    const before = pass('a');
    await settled();
    const [first, second] = [gate.hold(), gate.hold()];
    const held = pass('b');
    answer('a');
    await before;
    first();
    await settled();
    expect(sent).toEqual(['a']);
    second();
    await settled();
    expect(sent).toEqual(['a', 'b']);
    answer('b');
    await held;
  });
});

describe('a gate that stops', () => {
  test('gives back what waits and what comes, and is idle when the last in flight has ended', async () => {
    const one = new Admission(1);
    const gate = new CallGate(() => [one]);
    const { sent, pass, answer } = asked(gate, true);
    const inFlight = pass('a');
    const waiting = pass('b');
    await settled();
    gate.stop();
    await expect(waiting).rejects.toThrow(GateStopped);
    await expect(pass('c')).rejects.toThrow(GateStopped);
    let idle = false;
    const resting = gate.idle().then(() => (idle = true));
    await settled();
    expect({ idle, inFlight: gate.inFlight }).toEqual({ idle: false, inFlight: 1 });
    answer('a');
    await inFlight;
    await resting;
    expect(sent).toEqual(['a']);
    expect(gate.inFlight).toBe(0);
  });
});

/** A guard that admits when it is open, so many at once, and keeps what it was told. */
class Admission implements Guard {
  open = true;
  turnsAway = () => false;
  most = 0;
  readonly told: string[] = [];
  readonly ends: CallEnd[] = [];
  #inFlight = 0;

  constructor(private readonly limit = Infinity) {}

  admits(): boolean {
    return this.open && this.#inFlight < this.limit;
  }

  waiting({ key }: PlannedCall): void {
    this.told.push(`waiting ${key}`);
  }

  entered({ key }: PlannedCall): void {
    this.told.push(`entered ${key}`);
    this.#inFlight += 1;
    this.most = Math.max(this.most, this.#inFlight);
  }

  left({ key }: PlannedCall, end: CallEnd): void {
    this.told.push(`left ${key}`);
    this.ends.push(end);
    this.#inFlight -= 1;
  }
}

/** Passes calls through a gate; they are answered at once, or one by one. */
function asked(gate: CallGate, byHand = false) {
  const sent: string[] = [];
  const answers = new Map<string, () => void>();
  return {
    sent,
    answer: (key: string) => answers.get(key)?.(),
    pass: (key: string, spec = 'model') =>
      gate.pass(call(key, spec), async () => {
        sent.push(key);
        if (byHand) await new Promise<void>((resolve) => answers.set(key, resolve));
        return entryOf(key);
      }),
  };
}

function call(key: string, spec = 'model'): PlannedCall {
  return { run: 'run', key, spec, step: 'user', estimate: { input: 1, output: 1 } };
}

function entryOf(key: string): JournalEntry {
  return {
    key,
    request: 'hash',
    settings: '',
    spec: 'model',
    answer: { text: 'Yes.', finish: 'complete', model: 'model', usage: {} },
    milliseconds: 1,
  };
}

/** Everything that can go on without the test has. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
