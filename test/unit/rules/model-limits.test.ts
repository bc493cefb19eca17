import * as fc from 'fast-check';
import {
  FAILURES_TO_BE_DOWN,
  lastMinute,
  rateOf,
  ratesOf,
  unused,
  withoutWorkers,
  withShares,
  withTold,
  type ModelUse,
  type ToldUse,
} from '../../../rules/model-limits';
import type { ModelLimits } from '../../../schemas/steering';

/** Any moment: only what lies between two of them matters. */
const NOW = 1_000_000;

describe('a model', () => {
  test('counts as down after five passing failures in a row, from then on and with their cause', () => {
    const tried = told(unused({}), { failures: FAILURES_TO_BE_DOWN - 1, failure: 'refused' });
    expect(tried.down).toBeUndefined();
    const down = told(tried, { failures: FAILURES_TO_BE_DOWN, failure: 'refused' }, NOW + 1_000);
    expect(down.down).toEqual({ since: NOW + 1_000, cause: 'refused' });
    expect(told(down, { failures: 9, failure: 'still refused' }, NOW + 2_000).down).toEqual(down.down);
  });

  test('counts as down whatever was answered before those failures', () => {
    const answered = told(unused({}), { sent: 40, answered: 40 });
    const down = told(answered, { sent: 25, answered: 20, failures: FAILURES_TO_BE_DOWN }, NOW + 1_000);
    expect(down.down).toBeDefined();
  });

  test('does not count as down while it answers another worker', () => {
    const others = told(unused({}), { worker: 'other', answered: 1 });
    const failing = told(others, { failures: FAILURES_TO_BE_DOWN }, NOW + 1_000);
    expect(failing.down).toBeUndefined();
    expect(told(failing, { failures: 9 }, NOW + 60_000).down).toBeDefined();
  });

  test('is back with the first answer of any worker', () => {
    const down = told(unused({ requestsPerMinute: 640 }), { failures: FAILURES_TO_BE_DOWN });
    expect(rateOf(down, NOW)).toBeLessThanOrEqual(0.2);
    const back = told(down, { worker: 'other', answered: 1 }, NOW + 90_000);
    expect(back.down).toBeUndefined();
    expect(rateOf(back, NOW + 90_000)).toBe(10);
  });

  test('that asks to be left alone is, by all, for the longest time it asked for', () => {
    const held = told(unused({}), { retryAfter: 8_000 });
    const longer = told(held, { worker: 'other', retryAfter: 2_000 }, NOW + 1_000);
    expect(rateOf(longer, NOW + 7_999)).toBe(0);
    expect(rateOf(longer, NOW + 8_000)).toBeUndefined();
    expect(rateOf(told(held, { retryAfter: 9_000 }, NOW + 1_000), NOW + 9_999)).toBe(0);
  });

  test('without limits is sent as much as is asked for', () => {
    expect(rateOf(told(unused({}), { sent: 1_000, tokens: 1e9 }), NOW)).toBeUndefined();
  });
});

describe('a limit on requests', () => {
  test('leaves room in every minute for the two bursts of a second that a server just started again lets through', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (requestsPerMinute) => {
        const rate = rateOf(unused({ requestsPerMinute }), NOW) ?? Number.NaN;
        expect(rate * (60 + 2)).toBeLessThanOrEqual(requestsPerMinute + 1e-6);
        expect(rate * 60).toBeGreaterThan(requestsPerMinute * 0.9);
      }),
    );
  });
});

describe('a limit on requests that is new', () => {
  test('counts what was sent before it as well', () => {
    const busy = told(unused({}), { sent: 900 });
    const limited = { ...busy, limits: { requestsPerMinute: 600 }, limitedAt: NOW };
    expect(rateOf(limited, NOW + 1_000)).toBe(0);
    expect(rateOf(limited, NOW + 60_001)).toBeGreaterThan(9);
  });
});

describe('runs that ask the same model', () => {
  test('share its rate evenly while all have calls waiting, and together never pass it', () => {
    const use = asking([
      ['one', 'synthesis', 5],
      ['other', 'synthesis', 1],
    ]);
    const rates = ratesOf(use, NOW, ALL_WAIT);
    expect(rates.get('one')).toBeCloseTo(5);
    expect(rates.get('other')).toBeCloseTo(5);
  });

  test('leave to the others what they do not use', () => {
    const use = asking([
      ['one', 'synthesis', 8],
      ['other', 'synthesis', 1],
    ]);
    const rates = ratesOf(use, NOW, (run) => (run === 'one' ? 1 : 0));
    expect(rates.get('one')).toBeGreaterThan(8);
    expect(rates.get('other')).toBeGreaterThanOrEqual(1);
    expect((rates.get('one') ?? 0) + (rates.get('other') ?? 0)).toBeCloseTo(10);
  });

  test('let evaluation go before synthesis, which does not stand still all the same', () => {
    const use = asking([
      ['making', 'synthesis', 5],
      ['scoring', 'evaluation', 5],
    ]);
    const rates = ratesOf(use, NOW, ALL_WAIT);
    expect(rates.get('scoring')).toBeGreaterThan(9);
    expect(rates.get('making')).toBeGreaterThan(0);
    const idle = ratesOf(use, NOW, (run) => (run === 'making' ? 1 : 0));
    expect(idle.get('making')).toBeGreaterThan(2);
  });

  test('are all held when it asks to be left alone, and none where nothing limits it', () => {
    const runs = [
      ['one', 'synthesis', 5],
      ['other', 'evaluation', 5],
    ] as const;
    const held = told(asking(runs), { worker: 'w-one', run: 'one', retryAfter: 5_000 });
    expect([...ratesOf(held, NOW, ALL_WAIT).values()]).toEqual([0, 0]);
    const free = ratesOf({ ...asking(runs), limits: {} }, NOW, NONE_WAITS);
    expect([...free.values()]).toEqual([undefined, undefined]);
  });

  test('divide the calls in flight in the same order', () => {
    let use = unused({ inFlight: 10 });
    for (let round = 0; round < 4; round += 1) {
      for (const [worker, run, kind, waiting] of [
        ['a', 'making', 'synthesis', 40],
        ['b', 'making', 'synthesis', 40],
        ['c', 'scoring', 'evaluation', 6],
      ] as const) {
        use = withShares(withTold(use, tale({ worker, run, kind, waiting }), NOW, round > 0));
      }
    }
    expect(sharesOf(use)).toEqual({ a: 2, b: 2, c: 6 });
  });
});

describe('a limit on tokens', () => {
  test('is kept by an even pace, by what calls have taken lately', () => {
    const limits: ModelLimits = { tokensPerMinute: 60_000 };
    const pace = (tokens: number) => rateOf(told(unused(limits), { sent: 10, tokens: tokens * 10 }), NOW);
    expect(pace(1_000)).toBeGreaterThan(0.9);
    expect(pace(1_000)).toBeLessThanOrEqual(1);
    expect(pace(2_000)).toBeCloseTo((pace(1_000) ?? 0) / 2);
  });

  test('lets nothing be sent once the minute is used up, and goes on as calls leave it', () => {
    const limits: ModelLimits = { tokensPerMinute: 60_000 };
    const early = told(unused(limits), { sent: 30, tokens: 30_000 });
    const full = told(early, { sent: 30, tokens: 30_000 }, NOW + 30_000);
    expect(rateOf(full, NOW + 59_999)).toBe(0);
    expect(rateOf(full, NOW + 60_001)).toBeGreaterThan(0);
    expect(lastMinute(full, NOW + 60_001)).toEqual({ sent: 30, tokens: 30_000 });
  });

  test('goes by what calls took, not by what they were expected to take', () => {
    const limits: ModelLimits = { tokensPerMinute: 60_000 };
    const expected = told(unused(limits), { sent: 30, tokens: 60_000 });
    expect(rateOf(expected, NOW)).toBe(0);
    const answered = told(expected, { answered: 30, tokens: -50_000 }, NOW + 2_000);
    expect(lastMinute(answered, NOW + 2_000)).toEqual({ sent: 30, tokens: 10_000 });
    expect(rateOf(answered, NOW + 2_000)).toBeGreaterThan(1);
  });

  test('and one on requests are both kept: the lower one counts', () => {
    const use = told(unused({ requestsPerMinute: 64, tokensPerMinute: 1e9 }), { sent: 1, tokens: 1_000 });
    expect(rateOf(use, NOW)).toBe(1);
    const few = told(unused({ requestsPerMinute: 6_400, tokensPerMinute: 6_000 }), {
      sent: 1,
      tokens: 1_000,
    });
    expect(rateOf(few, NOW)).toBeLessThan(0.1);
  });
});

describe('a limit on calls in flight', () => {
  test('is divided by what workers could use, and wholly used', () => {
    const all = settled({ inFlight: 10 }, { one: 2, other: 40, third: 40 });
    expect(sharesOf(all)).toEqual({ one: 2, other: 4, third: 4 });
    expect(sharesOf(settled({ inFlight: 10 }, { one: 1, other: 1 }))).toEqual({ one: 1, other: 9 });
  });

  test('gives what a worker that is gone had to those that are left', () => {
    const both = settled({ inFlight: 10 }, { one: 40, other: 40 });
    expect(sharesOf(both)).toEqual({ one: 5, other: 5 });
    const left = withShares(withoutWorkers(both, (worker) => worker === 'one'));
    expect(sharesOf(left)).toEqual({ other: 10 });
  });

  test('is never passed by what all workers go by together, however late they hear of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(happening(), { minLength: 1, maxLength: 120 }),
        (inFlight, happenings) => {
          const crowd = new Crowd(inFlight);
          for (const one of happenings) {
            crowd.live(one);
            expect(crowd.mostInFlight).toBeLessThanOrEqual(inFlight);
          }
          // Once all have told and heard, nothing of it lies idle.
          for (let round = 0; round < 4; round += 1) crowd.settle();
          expect(crowd.goneBy).toBe(crowd.size === 0 ? 0 : inFlight);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Ten calls a second, and runs that have sent so many a second for long, one worker each. */
function asking(runs: readonly (readonly [run: string, kind: ToldUse['kind'], pace: number])[]): ModelUse {
  let use = unused({ requestsPerMinute: 640 });
  for (const [run, kind, pace] of runs) {
    const worker = `w-${run}`;
    use = told(use, { worker, run, kind }, NOW - 120_000);
    use = told(use, { worker, run, kind, sent: pace * 20 }, NOW - 100_000);
  }
  return use;
}

/** Calls of every run wait to be handed out; and of none. */
const ALL_WAIT = () => 1;
const NONE_WAITS = () => 0;

interface Happening {
  readonly worker: string;
  readonly what: 'tell' | 'hear' | 'miss' | 'send' | 'end' | 'die';
  readonly waiting: number;
}

function happening(): fc.Arbitrary<Happening> {
  return fc.record({
    worker: fc.constantFrom('a', 'b', 'c'),
    what: fc.constantFrom('tell', 'tell', 'hear', 'hear', 'miss', 'send', 'send', 'end', 'die'),
    waiting: fc.integer({ min: 0, max: 20 }),
  });
}

/** Workers that go by their shares, tell late, hear late or never, and die. */
class Crowd {
  #use: ModelUse;
  #version = 1;
  readonly #workers = new Map<
    string,
    { known: number; share: number; inFlight: number; mail: { version: number; share: number }[] }
  >();

  constructor(limit: number) {
    this.#use = unused({ inFlight: limit });
  }

  get size(): number {
    return this.#workers.size;
  }

  /** What they have in flight, or may have without hearing anything more. */
  get mostInFlight(): number {
    return [...this.#workers.values()].reduce(
      (sum, { share, inFlight }) => sum + Math.max(share, inFlight),
      0,
    );
  }

  get goneBy(): number {
    return [...this.#workers.values()].reduce((sum, { share }) => sum + share, 0);
  }

  live({ worker: name, what, waiting }: Happening): void {
    const worker = this.#workers.get(name) ?? { known: 0, share: 0, inFlight: 0, mail: [] };
    if (what !== 'die') this.#workers.set(name, worker);
    switch (what) {
      case 'tell': {
        const confirmed = worker.known === this.#version;
        this.#take(
          withTold(this.#use, tale({ worker: name, inFlight: worker.inFlight, waiting }), NOW, confirmed),
        );
        worker.mail.push({ version: this.#version, share: this.#use.workers[name]?.share ?? 0 });
        break;
      }
      case 'hear': {
        const letter = worker.mail.shift();
        if (letter !== undefined && letter.version >= worker.known) {
          worker.known = letter.version;
          worker.share = letter.share;
        }
        break;
      }
      case 'miss':
        worker.mail.shift();
        break;
      case 'send':
        if (worker.inFlight < worker.share) worker.inFlight += 1;
        break;
      case 'end':
        worker.inFlight = Math.max(0, worker.inFlight - 1);
        break;
      case 'die':
        this.#workers.delete(name);
        this.#take(withoutWorkers(this.#use, (one) => one === name));
        break;
    }
  }

  /** Everybody's calls end, and everybody tells and hears. */
  settle(): void {
    for (const [name, worker] of this.#workers) {
      worker.inFlight = 0;
      worker.mail = [];
      this.live({ worker: name, what: 'tell', waiting: 20 });
      this.live({ worker: name, what: 'hear', waiting: 20 });
    }
  }

  // As the workflow does: a version stands for one set of shares.
  #take(next: ModelUse): void {
    const before = this.#use;
    this.#use = withShares(next);
    const shared = Object.entries(this.#use.workers);
    if (shared.some(([name, { share }]) => before.workers[name]?.share !== share)) this.#version += 1;
  }
}

/** The use once workers that could use so many calls have told, and gone by what they heard. */
function settled(limits: ModelLimits, wants: Readonly<Record<string, number>>): ModelUse {
  let use = unused(limits);
  for (let round = 0; round < 4; round += 1) {
    for (const [worker, waiting] of Object.entries(wants)) {
      use = withShares(withTold(use, tale({ worker, waiting }), NOW, round > 0));
    }
  }
  return use;
}

function sharesOf({ workers }: ModelUse): Record<string, number> {
  return Object.fromEntries(Object.entries(workers).map(([name, { share }]) => [name, share]));
}

function told(use: ModelUse, what: Partial<ToldUse>, now = NOW): ModelUse {
  return withTold(use, tale(what), now, true);
}

function tale(what: Partial<ToldUse>): ToldUse {
  return {
    worker: 'one',
    run: 'run',
    kind: 'synthesis',
    inFlight: 0,
    waiting: 0,
    sent: 0,
    tokens: 0,
    answered: 0,
    failures: 0,
    ...what,
  };
}
