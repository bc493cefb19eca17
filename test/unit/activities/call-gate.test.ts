import { setImmediate as settled } from 'node:timers/promises';
import type { CallEnd, Guard, PlannedCall } from '../../../engine/limits/call-guard';
import { RunEvents, type RunEvent } from '../../../activities/run-events';
import { CallGate, CallRejected, GateStopped } from '../../../activities/call-gate';
import { ModelError } from '../../../models/errors/error';
import { MemoryError } from '../../../models/memory/error';
import { buildJournalEntry } from '../../journal-entry';

test('a call is sent once all of its guards admit it, and no earlier; they learn that it waits, enters and leaves, and with what', async () => {
  const [ofRun, ofModel] = [new Admission(), new Admission()];
  const { gate, sent, pass } = asked(() => [ofRun, ofModel]);
  ofRun.limit = 0;
  const passed = pass('a');
  await settled();
  expect(sent).toEqual([]);
  ofRun.limit = 1;
  ofModel.limit = 0;
  gate.reconsider();
  await settled();
  expect(sent).toEqual([]);
  ofModel.limit = 1;
  gate.reconsider();
  const entry = await passed;
  expect(sent).toEqual(['a']);
  expect(ofRun.seen).toEqual(['waiting a', 'admitted a', 'released a']);
  expect(ofRun.ends).toEqual([{ entry }]);
});

test('calls are sent in the order in which they came, but none waits for one that its own guards hold', async () => {
  const held = new Admission(0);
  const { gate, sent, pass } = asked(({ spec }) => (spec === 'held' ? [held] : []));
  const passed = [pass('a', 'held'), pass('b'), pass('c', 'held'), pass('d')];
  await settled();
  expect(sent).toEqual(['b', 'd']);
  expect(gate.count(({ spec }) => spec === 'held')).toBe(2);
  held.limit = Infinity;
  gate.reconsider();
  await Promise.all(passed);
  expect(sent).toEqual(['b', 'd', 'a', 'c']);
});

test('a call that failed waits like all others, so that it is not the only one that finds its model back', async () => {
  const one = new Admission();
  const { gate, sent, pass } = asked(() => [one]);
  await expect(pass('a', 'model', new ModelError('connection', 'Gone.'))).rejects.toThrow('Gone.');
  one.limit = 0;
  const passed = [pass('b'), pass('a')];
  await settled();
  one.limit = 1;
  gate.reconsider();
  await Promise.all(passed);
  expect(sent).toEqual(['a', 'b', 'a']);
});

test.each<[string, Error, CallEnd]>([
  ['a memory system that was away for minutes', new MemoryError('memory-away', 'Gone.', 4_000), {}],
  ['a memory system that failed for one user', new MemoryError('memory-failed', 'No room.'), {}],
  [
    'a retryable failure, with the time the provider asks for',
    new ModelError('rate-limit', 'Slow down.', 4_000),
    { failure: { kind: 'rate-limit', message: 'Slow down.', retryAfterMs: 4_000 } },
  ],
  [
    'a retryable failure without such a time',
    new ModelError('connection', 'Gone.'),
    { failure: { kind: 'connection', message: 'Gone.' } },
  ],
  ['a key that is rejected: that says nothing of how the model is', new ModelError('bad-key', 'No.'), {}],
  ['an error of our own', new TypeError('undefined is not a model'), {}],
])('a call that gets no answer fails, and its guards learn of %s', async (_, error, end) => {
  const guard = new Admission();
  const { gate, pass } = asked(() => [guard]);
  await expect(pass('a', 'model', error)).rejects.toBe(error);
  expect(guard.ends).toEqual([end]);
  expect(gate.inFlight).toBe(0);
});

test('calls that cannot be sent from here are given back for another process, those that wait and those that come, and others continue', async () => {
  const away = new Admission(0);
  const { gate, sent, pass } = asked(({ spec }) => (spec === 'away' ? [away] : []));
  const waiting = pass('a', 'away');
  await settled();
  away.rejects = () => true;
  gate.reconsider();
  await expect(waiting).rejects.toThrow(CallRejected);
  await expect(pass('b', 'away')).rejects.toThrow(CallRejected);
  await pass('c');
  expect(sent).toEqual(['c']);
  expect(away.seen).toEqual(['waiting a', 'waiting b']);
});

test('a gate that holds lets nothing begin until every hold is over, and what is in flight end', async () => {
  const { gate, sent, pass, answer } = asked(() => [], true);
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

test('a gate that stops gives back what waits, since its guards count each call that begins, and what comes; it is idle when the last in flight has ended', async () => {
  const one = new Admission(1);
  const { gate, sent, pass, answer } = asked(() => [one], true);
  const inFlight = pass('a');
  const waiting = pass('b');
  await settled();
  expect(sent).toEqual(['a']);
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
  expect({ sent, inFlight: gate.inFlight }).toEqual({ sent: ['a'], inFlight: 0 });
});

test('a failed call waits for its time, for the end of its activity, or until the gate stops, and is counted meanwhile', async () => {
  const { gate } = asked(() => []);
  const activity = new AbortController();
  await gate.backOff(1, activity.signal);
  const waits = [gate.backOff(1e9, activity.signal), gate.backOff(1e9, new AbortController().signal)];
  expect(gate.backingOff).toBe(2);
  activity.abort();
  await waits[0];
  await gate.backOff(1e9, activity.signal);
  expect(gate.backingOff).toBe(1);
  gate.stop();
  await expect(waits[1]).rejects.toThrow(GateStopped);
  await expect(gate.backOff(1, new AbortController().signal)).rejects.toThrow(GateStopped);
});

/** A guard that admits a limited number of calls at once, and records their events. */
class Admission implements Guard {
  rejects = () => false;
  readonly seen: string[] = [];
  readonly ends: CallEnd[] = [];
  #inFlight = 0;

  constructor(public limit = Infinity) {}

  admits(): boolean {
    return this.#inFlight < this.limit;
  }

  follow(event: RunEvent): void {
    if (!('call' in event)) return;
    this.seen.push(`${event.type} ${event.call.key}`);
    if (event.type === 'admitted') this.#inFlight += 1;
    if (event.type !== 'released') return;
    this.#inFlight -= 1;
    this.ends.push(event.end);
  }
}

/** Passes calls through a gate; they are answered at once, or by hand. */
function asked(guardsOf: (call: PlannedCall) => readonly Admission[], byHand = false) {
  const events = new RunEvents();
  events.subscribe((event) => {
    if ('call' in event) for (const guard of guardsOf(event.call)) guard.follow(event);
  });
  const gate = new CallGate(events);
  const sent: string[] = [];
  const answers = new Map<string, () => void>();
  return {
    gate,
    sent,
    answer: (key: string) => answers.get(key)?.(),
    pass: (key: string, spec = 'model', error?: Error) => {
      const call: PlannedCall = { key, spec, step: 'user', estimate: { input: 1, output: 1 } };
      return gate.pass(call, guardsOf(call), async () => {
        sent.push(key);
        if (error !== undefined) throw error;
        if (byHand) await new Promise<void>((resolve) => answers.set(key, resolve));
        return buildJournalEntry(key);
      });
    },
  };
}
