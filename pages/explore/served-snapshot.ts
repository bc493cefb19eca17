import type { Snapshot } from './snapshot';

/** The snapshot that a server shows, until a page asks for the new state. */
export class ServedSnapshot {
  #snapshot: Snapshot;
  #replacing: Promise<void> | undefined;

  private constructor(
    private readonly open: () => Promise<Snapshot>,
    snapshot: Snapshot,
  ) {
    this.#snapshot = snapshot;
  }

  static async open(open: () => Promise<Snapshot>): Promise<ServedSnapshot> {
    return new ServedSnapshot(open, await open());
  }

  get current(): Snapshot {
    return this.#snapshot;
  }

  /**
   * Opens the new state. Nothing happens if another page, which showed this snapshot too, has done so before.
   * @param name snapshot that the page shows; undefined if it names none
   * @throws DataError when the sources can no longer be opened; the earlier snapshot stays
   */
  async replace(name: string | undefined): Promise<void> {
    if (name !== undefined && name !== this.#snapshot.name) return;
    this.#replacing ??= this.#replace().finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  async close(): Promise<void> {
    await this.#replacing?.catch(() => undefined);
    await this.#snapshot.close();
  }

  async #replace(): Promise<void> {
    const earlier = this.#snapshot;
    this.#snapshot = await this.open();
    await earlier.close();
  }
}
