/** Thrown to a call that has not begun when the worker is about to stop. */
export class GateStopped extends Error {
  override readonly name = 'GateStopped';
}

/**
 * Lets at most `limit` model calls be in flight, in the order they came.
 * Can hold new calls back for a while (a full disk), and can stop for good (Ctrl-C) while those in flight end.
 */
export class CallGate {
  #inFlight = 0;
  #stopped = false;
  readonly #holds = new Set<symbol>();
  readonly #waiting: { start: () => void; stop: (error: Error) => void }[] = [];

  readonly #idle: (() => void)[] = [];

  constructor(readonly limit: number) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Runs `call` when there is room. @throws GateStopped when the gate stops before that. */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    await new Promise<void>((start, stop) => {
      if (this.#stopped) stop(new GateStopped('The worker is stopping.'));
      else this.#waiting.push({ start, stop });
      this.#admit();
    });
    try {
      return await call();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
      this.#admit();
    }
  }

  /** Lets no new call begin until the returned function is called. */
  hold(): () => void {
    const hold = Symbol('hold');
    this.#holds.add(hold);
    return () => {
      this.#holds.delete(hold);
      this.#admit();
    };
  }

  /** Lets no new call begin ever again. */
  stop(): void {
    this.#stopped = true;
    for (const { stop } of this.#waiting.splice(0)) stop(new GateStopped('The worker is stopping.'));
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #admit(): void {
    while (this.#holds.size === 0 && this.#inFlight < this.limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#inFlight += 1;
      next.start();
    }
  }
}
