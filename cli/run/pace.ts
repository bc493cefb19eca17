/** How fast work gets done, by what was done in the last minute. */
export class Pace {
  readonly #samples: { readonly at: number; readonly done: number }[] = [];

  /** Takes down how much is done by now. */
  add(done: number): void {
    const at = performance.now();
    const last = this.#samples.at(-1);
    // Retried work no longer counts as done: what was measured before says nothing about it.
    if (last !== undefined && done < last.done) this.restart();
    this.#samples.push({ at, done });
    const since = at - WINDOW_MS;
    while ((this.#samples[1]?.at ?? at) < since) this.#samples.shift();
  }

  /** Forgets what was measured: while a run is paused it does not get slower. */
  restart(): void {
    this.#samples.length = 0;
  }

  /** Seconds until so much is done as well; undefined while nothing was done, or it was not watched for long enough. */
  secondsFor(left: number): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return undefined;
    const done = last.done - first.done;
    return done === 0 ? undefined : (left * (last.at - first.at)) / 1_000 / done;
  }
}

const WINDOW_MS = 60_000;
const LEAST_MS = 5_000;
