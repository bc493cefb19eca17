import type { LedgerLine } from '../../schemas/run/ledger';

/** Collects the keys of the calls that were answered well, from the lines of a run's ledger. Answers of batches are judged later. */
export class GoodAnswers {
  readonly #keys = new Set<string>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Returns the lines of one worker unchanged, and adds its answers. */
  async *watch(lines: AsyncIterable<LedgerLine>): AsyncGenerator<LedgerLine> {
    const sent = new Map<number, string>();
    for await (const line of lines) {
      const key = sent.get(line.call);
      if (line.event === 'sent' && line.tier !== 'batch') sent.set(line.call, line.key);
      else sent.delete(line.call);
      if (line.event === 'answered' && line.verdict === 'good' && key !== undefined) this.#keys.add(key);
      yield line;
    }
  }
}
