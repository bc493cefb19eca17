import * as fc from 'fast-check';
import { enlarged, evenly, returned, unleased, type Lease } from '../../../rules/leases';

describe('a lease of a budget', () => {
  test('is enlarged by a hundredth of the budget at the most, and by no more than there is', () => {
    expect(enlarged({ granted: 5, spent: 5 }, 1_000, 700)).toEqual({ granted: 15, spent: 5 });
    expect(enlarged({ granted: 5, spent: 5 }, 1_000, 4)).toEqual({ granted: 9, spent: 5 });
    expect(enlarged({ granted: 5, spent: 5 }, 1_000, 0)).toEqual({ granted: 5, spent: 5 });
  });

  test('pays what was overspent before there is anything new to spend', () => {
    const lease = enlarged({ granted: 5, spent: 40 }, 1_000, 700);
    expect(lease.granted - lease.spent).toBe(10);
  });

  test('gives back what is not spent, and no more', () => {
    expect(returned({ granted: 15, spent: 5 })).toEqual({ granted: 5, spent: 5 });
    expect(returned({ granted: 5, spent: 9 })).toEqual({ granted: 5, spent: 9 });
  });

  test('counts against the budget by what it grants, or by what was overspent', () => {
    const leases: Lease[] = [
      { granted: 20, spent: 5 },
      { granted: 10, spent: 25 },
    ];
    expect(unleased(100, 30, leases)).toBe(100 - 30 - 20 - 25);
  });

  test('never lets a budget be passed by more than the call that each worker has just begun', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 100_000 }),
        fc.array(fc.record({ worker: fc.nat(3), takes: fc.integer({ min: 1, max: 400 }) }), {
          minLength: 1,
          maxLength: 400,
        }),
        (cap, calls) => {
          const leases = new Map<number, Lease>();
          const largest = Math.max(...calls.map(({ takes }) => takes));
          let held = 0;
          for (const { worker, takes } of calls) {
            const lease = leases.get(worker) ?? { granted: 0, spent: 0 };
            leases.set(worker, lease);
            const asked =
              lease.spent < lease.granted ? lease : enlarged(lease, cap, unleased(cap, 0, leases.values()));
            if (asked.spent >= asked.granted) held += 1;
            leases.set(
              worker,
              asked.spent < asked.granted ? { ...asked, spent: asked.spent + takes } : asked,
            );
          }
          const spent = [...leases.values()].reduce((sum, lease) => sum + lease.spent, 0);
          expect(spent).toBeLessThan(cap + leases.size * largest);
          // Nobody is refused while others have little that is not spent.
          if (held > 0) expect(spent).toBeGreaterThan(cap - leases.size * cap * 0.01 - 1);
        },
      ),
    );
  });
});

describe('calls in flight', () => {
  test('are divided evenly, by the names of the workers and not by the order they came in', () => {
    const shares = evenly(11, ['b', 'c', 'a']);
    expect(Object.fromEntries(shares)).toEqual({ a: 4, b: 4, c: 3 });
    expect(evenly(11, ['a', 'b', 'c'])).toEqual(shares);
  });

  test('are all given to somebody', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 20 }), (total, workers) => {
        const shares = [
          ...evenly(
            total,
            Array.from({ length: workers }, (_, at) => `w${at}`),
          ).values(),
        ];
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
