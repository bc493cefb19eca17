import { setTimeout as wait } from 'node:timers/promises';

/** Suffix of each part of a growing text: `ledger/w.jsonl.000001`. */
export const SEGMENT = /\.\d{6}$/;

/**
 * A growing text in objects that cannot grow. Additions go into the latest segment, which is written again as a whole until it is large
 * enough for a new one to begin. Only one process may add to a text, one piece after the other.
 */
export class AppendedObject {
  #segment = 1;
  #content = '';
  #writtenAt = -Infinity;

  constructor(
    private readonly name: string,
    private readonly write: (name: string, text: string) => Promise<void>,
  ) {}

  /** Resolves once the text is stored; after a rejection it may be added again. */
  async append(text: string): Promise<void> {
    // Each request is paid for, so the caller collects more text meanwhile.
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
/** Characters after which a new segment begins. */
const SEGMENT_SIZE = 250_000;
