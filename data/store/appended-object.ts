import { setTimeout as wait } from 'node:timers/promises';

/** Ends the name of each part of a text that grows: `ledger/w.jsonl.000001`. */
export const SEGMENT = /\.\d{6}$/;

/**
 * A text that grows, in objects that cannot: what is added goes into the latest segment, which is written again as a whole until it is
 * large enough, and then the next one begins. One process only may add to a text, one piece after the other.
 */
export class AppendedObject {
  #segment = 1;
  #content = '';
  #writtenAt = -Infinity;

  constructor(
    private readonly name: string,
    private readonly write: (name: string, text: string) => Promise<void>,
  ) {}

  /** Resolves once the text is stored; rejects when it is not, and then it may be added again. */
  async append(text: string): Promise<void> {
    // Each request is paid for: the caller gathers what comes meanwhile.
    const early = this.#writtenAt + INTERVAL_MS - performance.now();
    if (early > 0) await wait(early);
    this.#writtenAt = performance.now();
    const content = this.#content + text;
    await this.write(`${this.name}.${String(this.#segment).padStart(6, '0')}`, content);
    this.#content = content;
    if (content.length < SEGMENT_SIZE) return;
    this.#segment += 1;
    this.#content = '';
  }
}

const INTERVAL_MS = 250;
/** Characters after which the next segment begins. */
const SEGMENT_SIZE = 250_000;
