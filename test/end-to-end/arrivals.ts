import type { ReceivedRequest, StandIn } from '../stand-in/chat-server';

/** When a request arrived, in milliseconds: after one moment, and by another. */
export interface Arrival {
  readonly after: number;
  readonly by: number;
}

export interface Arrivals extends Disposable {
  /** Arrivals of the requests seen so far. */
  readonly seen: readonly Arrival[];
  /** Returns the most requests, or the largest sum of amounts, that certainly arrived within any one minute. */
  readonly mostInAMinute: (amount?: (request: ReceivedRequest) => number) => number;
}

/**
 * Watches when requests arrive. A process that is kept waiting, as this one is on a busy machine, takes notice of several at once, and
 * late: of each it is certain only that it had not come two looks before it was seen, and had come by then.
 */
export function watchArrivals({ received }: StandIn): Arrivals {
  const seen: Arrival[] = [];
  let [lookBefore, lastLook] = [performance.now(), performance.now()];
  const look = () => {
    const now = performance.now();
    while (seen.length < received.length) seen.push({ after: lookBefore, by: now });
    [lookBefore, lastLook] = [lastLook, now];
  };
  const timer = setInterval(look, 20);
  return {
    seen,
    mostInAMinute(amount = () => 1) {
      const minutes = seen.map(({ after }, first) =>
        received
          .filter((_, at) => at >= first && (seen[at]?.by ?? Infinity) < after + 60_000)
          .reduce((sum, one) => sum + amount(one), 0),
      );
      return Math.max(0, ...minutes);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
