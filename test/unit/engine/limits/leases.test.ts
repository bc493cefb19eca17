import {
  LEASE_MS,
  Leases,
  computeTargets,
  WINDOW_MS,
  type LeaseReport,
} from '../../../../engine/limits/leases';
import { MinuteWindow } from '../../../../engine/limits/minute-window';
import { createRandom } from '../../../../rules/sampling/random';

const KINDS = ['synthesis', 'evaluation'] as const;

let reports = 0;

function reportOf(worker: string, own: Partial<LeaseReport> = {}): LeaseReport {
  reports += 1;
  const usual = { run: 'one', kind: 'synthesis', leased: {}, used: {}, waiting: 0 } as const;
  return { worker, ...usual, sequence: reports, ...own };
}

function targets(limit: number, ...claims: LeaseReport[]): Record<string, number> {
  return Object.fromEntries(computeTargets('inFlight', limit, claims));
}

describe('what is limited is divided', () => {
  test('evenly among those that can use it, and what one cannot use goes to the others', () => {
    expect(targets(9, reportOf('a', { waiting: 9 }), reportOf('b', { waiting: 9 }))).toEqual({ a: 5, b: 4 });
    const small = reportOf('b', { waiting: 1, used: { inFlight: 1 } });
    expect(targets(9, reportOf('a', { waiting: 9 }), small)).toEqual({ a: 7, b: 2 });
  });

  test('evenly also where nobody asks for it, since somebody may; and in ones, where there are fewer than workers', () => {
    expect(targets(5, reportOf('a'), reportOf('b'))).toEqual({ a: 3, b: 2 });
    const waiting = ['a', 'b', 'c'].map((worker) => reportOf(worker, { waiting: 5 }));
    expect(targets(2, ...waiting)).toEqual({ a: 1, b: 1, c: 0 });
  });

  test('to evaluation before synthesis, with a little for each run; and evenly among runs whatever their workers', () => {
    const evaluation = reportOf('e', { run: 'two', kind: 'evaluation', waiting: 1_000 });
    const synthesis = reportOf('s', { waiting: 1_000 });
    expect(targets(1_000, evaluation, synthesis)).toEqual({ e: 980, s: 20 });
    const other = (worker: string) => reportOf(worker, { run: 'three', waiting: 1_000 });
    expect(targets(1_000, synthesis, other('x'), other('y'))).toEqual({ s: 500, x: 250, y: 250 });
  });
});

describe('a lease', () => {
  test('is reported on again soon where one gives up what another lacks, and else not', () => {
    const leases = new Leases();
    const soon = (report: LeaseReport, nowMs: number) => {
      leases.renew(report, nowMs);
      const granted = leases.grant(report.worker, 'inFlight', 12, nowMs);
      return [granted, leases.changesHands(report.worker, 'inFlight', 12)];
    };
    const waiting = { waiting: 12 };
    expect(soon(reportOf('a', waiting), 0)).toEqual([12, false]);
    expect(soon(reportOf('b', waiting), 1)).toEqual([0, true]);
    expect(soon(reportOf('a', { ...waiting, leased: { inFlight: 12 } }), 2)).toEqual([6, true]);
    expect(soon(reportOf('b', { ...waiting, leased: { inFlight: 0 } }), 3)).toEqual([0, true]);
    const full = { ...waiting, leased: { inFlight: 6 }, used: { inFlight: 6 } };
    expect(soon(reportOf('a', full), 4)).toEqual([6, false]);
    expect(soon(reportOf('b', { ...waiting, leased: { inFlight: 0 } }), 5)).toEqual([6, false]);
    const little = { leased: { inFlight: 6 }, used: { inFlight: 2 } };
    expect(soon(reportOf('b', little), 6)).toEqual([2, true]);
    // Nobody needs the unused half of `a`'s lease.
    expect(soon(reportOf('a', { ...full, used: { inFlight: 3 } }), 7)).toEqual([6, false]);
    expect(soon(reportOf('a', full), 8)).toEqual([6, true]);
    expect(soon(reportOf('b', { ...little, leased: { inFlight: 2 } }), 9)).toEqual([2, false]);
    expect(soon(reportOf('a', full), 10)).toEqual([10, false]);
  });

  test('grows only out of what no other worker can still use, also after its lease was lowered, left or expired', () => {
    const leases = new Leases();
    const grant = (report: LeaseReport, nowMs: number) => {
      leases.renew(report, nowMs);
      return leases.grant(report.worker, 'requests', 600, nowMs);
    };
    expect(grant(reportOf('a', { waiting: 9 }), 0)).toBe(600);
    // Nothing is left for another worker until the first reports a smaller lease and fewer requests in the last minute.
    expect(grant(reportOf('b', { waiting: 9 }), 1)).toBe(0);
    const full = { leased: { requests: 600 }, used: { requests: 500 }, waiting: 9 };
    expect(grant(reportOf('a', full), 2)).toBe(300);
    expect(grant(reportOf('b', { leased: { requests: 0 }, waiting: 9 }), 3)).toBe(0);
    expect(grant(reportOf('a', { ...full, leased: { requests: 300 } }), 4)).toBe(300);
    expect(grant(reportOf('b', { leased: { requests: 0 }, waiting: 9 }), 5)).toBe(100);
    // A worker that left still counts for a minute with its sent requests, a dead one with its whole lease.
    leases.renew(reportOf('a', { leased: { requests: 300 }, used: { requests: 200 } }), 6);
    leases.end('a', 6);
    const b = { leased: { requests: 100 }, waiting: 9 };
    expect(grant(reportOf('b', b), 7)).toBe(400);
    expect(leases.expired(7 + LEASE_MS)).toEqual([]);
    expect(leases.expired(8 + LEASE_MS)).toEqual(['b']);
    leases.end('b', 8 + LEASE_MS);
    expect(grant(reportOf('c', { waiting: 9 }), 9 + LEASE_MS)).toBe(0);
    expect(grant(reportOf('c', { waiting: 9 }), 6 + WINDOW_MS)).toBe(200);
    expect(grant(reportOf('c', { leased: { requests: 200 }, waiting: 9 }), 8 + LEASE_MS + WINDOW_MS)).toBe(
      600,
    );
  });

  test('of a budget grows by a hundredth of it; what is not spent of it comes back with its worker', () => {
    const leases = new Leases();
    const budget = { unit: 'tokens', cap: 1_000 } as const;
    leases.renew(reportOf('a', { used: { budget: 0 } }), 0);
    expect(leases.grantBudget('a', budget, 0, 0)).toBe(10);
    // A debt is paid first.
    leases.renew(reportOf('a', { leased: { budget: 10 }, used: { budget: 14 } }), 1);
    expect(leases.grantBudget('a', budget, 0, 1)).toBe(24);
    leases.renew(reportOf('b', { used: { budget: 0 } }), 2);
    expect(leases.grantBudget('b', budget, 970, 2)).toBe(6);
    expect(leases.grantBudget('b', budget, 970, 2)).toBeUndefined();
    leases.end('a', 3);
    expect(leases.budgetLeft(1_000, 970)).toBe(24);
  });

  test('that replaces another grants no more than what its workers go by, until the others have expired', () => {
    const leases = new Leases(undefined, 100);
    leases.renew(reportOf('a', { leased: { inFlight: 3, budget: 7 }, waiting: 9 }), 99);
    leases.renew(reportOf('b', { waiting: 9 }), 99);
    expect(leases.grant('a', 'inFlight', 10, 99)).toBe(3);
    expect(leases.grant('b', 'inFlight', 10, 99)).toBe(0);
    expect(leases.grantBudget('a', { unit: 'usd', cap: 100 }, 0, 99)).toBe(7);
    expect(leases.grant('b', 'inFlight', 10, 100)).toBe(5);
  });
});

/** A worker that sends as much as its lease allows, and reports from time to time; reports and answers may be lost. */
class Sender {
  leased: LeaseReport['leased'] = {};
  isOver = false;
  renewedAtMs = Number.NEGATIVE_INFINITY;
  readonly window = new MinuteWindow();

  constructor(
    readonly own: Pick<LeaseReport, 'worker' | 'run' | 'kind'>,
    public nextReportMs: number,
  ) {}

  sends(nowMs: number): boolean {
    const { requests } = this.leased;
    if (this.isOver || requests === undefined || nowMs - this.renewedAtMs > LEASE_MS) return false;
    if (this.window.waitMs(1, requests, nowMs) > 0) return false;
    this.window.add(1, nowMs);
    return true;
  }
}

test.each([1, 2, 3, 4])(
  'a limit a minute is used up and never passed in any minute, whoever comes, leaves, dies, or does not hear an answer (seed %i)',
  (seed) => {
    const random = createRandom(seed, 'leases');
    const happens = (chance: number) => random.integer(1_000_000) < chance * 1_000_000;
    const limit = 300;
    let leases = new Leases();
    const senders: Sender[] = [];
    const sent: number[] = [];
    const late: { report: LeaseReport; atMs: number }[] = [];
    const living = () => senders.filter(({ isOver }) => !isOver);
    for (let nowMs = 0; nowMs < 20 * 60_000; nowMs += 100) {
      if (living().length < 1 || (living().length < 6 && happens(0.0005))) {
        const kind = random.pick(KINDS);
        const run = `${kind}-${random.integer(2)}`;
        senders.push(new Sender({ worker: `w${senders.length}`, run, kind }, nowMs));
      }
      for (const sender of living()) {
        // Killed; its lease expires.
        if (happens(0.00003)) sender.isOver = true;
        while (sender.sends(nowMs)) sent.push(nowMs);
        if (nowMs < sender.nextReportMs || sender.isOver) continue;
        sender.nextReportMs = nowMs + 3_000 + random.integer(1_500);
        const isLost = happens(0.05);
        const { own, leased, window } = sender;
        const used = { requests: window.countUsed(nowMs) };
        const report = reportOf(own.worker, { ...own, leased, used, waiting: happens(0.8) ? 20 : 0 });
        // Some reports arrive after the next one.
        if (happens(0.05)) late.push({ report, atMs: nowMs + 6_000 });
        leases.renew(report, nowMs);
        const requests = leases.grant(own.worker, 'requests', limit, nowMs);
        if (!isLost) Object.assign(sender, { leased: { requests }, renewedAtMs: nowMs });
      }
      for (const { report, atMs } of late) if (atMs === nowMs) leases.renew(report, nowMs);
      for (const worker of leases.expired(nowMs)) leases.end(worker, nowMs);
      // The control continues as new.
      if (happens(0.0002)) leases = new Leases(structuredClone(leases.state));
    }
    let first = 0;
    let most = 0;
    for (const [index, atMs] of sent.entries()) {
      while ((sent[first] ?? 0) <= atMs - 60_000) first += 1;
      most = Math.max(most, index - first + 1);
    }
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(limit * 0.9);
    expect(senders.length).toBeGreaterThan(2);
  },
);
