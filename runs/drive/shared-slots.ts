import type { Guard } from '../../limits/call-guard';

/** Calls in flight of one process over all runs that it works for. */
export class SharedSlots {
  readonly #members: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Stands beside the leases of every call of a run. */
  readonly guard: Guard = {
    admits: () => this.#free > 0,
    entered: () => {
      this.#free -= 1;
    },
    left: () => {
      this.#free += 1;
      // Not in the middle of a call's end: its own gate looks by itself. Another run's is first the next time.
      setImmediate(() => {
        const [first, ...others] = this.#members.splice(0);
        if (first !== undefined) this.#members.push(...others, first);
        for (const reconsider of this.#members) reconsider();
      });
    },
  };

  /** Has a run's waiting calls looked at again when a slot is free, until the returned function is called. */
  join(reconsider: () => void): () => void {
    this.#members.push(reconsider);
    return () => void this.#members.splice(this.#members.indexOf(reconsider), 1);
  }
}
