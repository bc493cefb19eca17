import { basename, join } from 'node:path';
import { DataError } from '../../data/store/data-error';
import { hashFile, hashText } from '../../data/store/files';
import { findEntry } from '../../data/store/own-file';
import { RUN_FILE } from '../../runs/folder/run-folder';
import { getPlanFile, listAnnotationFiles } from '../../runs/review/folder';

/** A state that is read again to see whether it has changed. */
interface WatchedState {
  readonly state: string;
  readonly read: () => Promise<string>;
}

/** The files that a snapshot is read from, with their states when it was opened. */
export class SnapshotFiles {
  readonly #watched = new Map<string, WatchedState>();
  readonly #identities: string[] = [];
  #hasChanged = false;

  /** Computes the name of the snapshot: a hash of what it is read from. Copies of the same files have the same name. */
  get name(): string {
    return hashText(JSON.stringify(this.#identities)).slice(0, NAME_CHARACTERS);
  }

  /**
   * Watches a file, which may also appear later. Call it before the file is read.
   * @param identity part of the snapshot's name; absent for the hash of the file, or the size of a table, which a JSON file describes
   */
  async watchFile(path: string, within: string | undefined, identity?: string): Promise<void> {
    await this.#watch(path, () => readFileState(path, within));
    this.#identities.push(identity ?? (await identifyFile(path, within)));
  }

  /** Watches a review: its plan, and the files of its raters, of which there may be more later. */
  async watchReview(folder: string): Promise<void> {
    const listFiles = async () => [getPlanFile(folder), ...(await listAnnotationFiles(folder))];
    await this.#watch(folder, async () => {
      const states = (await listFiles()).map((file) => readFileState(file, folder));
      return (await Promise.all(states)).join('\n');
    });
    for (const file of await listFiles()) this.#identities.push(await identifyFile(file, folder));
  }

  /** Watches a run that is not in progress: it may be continued. */
  async watchRun(folder: string, isInProgress: () => Promise<boolean>): Promise<void> {
    await this.#watch(`${folder} in progress`, async () => ((await isInProgress()) ? 'yes' : 'no'));
    await this.watchFile(join(folder, RUN_FILE), folder);
  }

  /** Returns whether anything has changed since the snapshot was opened. */
  async haveChanged(): Promise<boolean> {
    const changes = this.#hasChanged ? [] : [...this.#watched.values()].map(hasChanged);
    this.#hasChanged ||= (await Promise.all(changes)).includes(true);
    return this.#hasChanged;
  }

  /** Reads from a watched file. @throws DataError when the file has changed, because what was read is of another state */
  async readSame<T>(path: string, read: () => Promise<T>): Promise<T> {
    // A file that changes meanwhile may also be unreadable, for which its change is the reason.
    const [reading] = await Promise.allSettled([read()]);
    await this.requireSame(path);
    if (reading.status === 'rejected') throw reading.reason;
    return reading.value;
  }

  /** @throws DataError when a watched file has changed */
  async requireSame(path: string): Promise<void> {
    const file = this.#watched.get(path);
    if (file === undefined || !(await hasChanged(file))) return;
    this.#hasChanged = true;
    throw new DataError(
      `${basename(path)} has changed since this page was opened, so what it said then can no longer be read. Choose “Show the new state”.`,
    );
  }

  async #watch(name: string, read: () => Promise<string>): Promise<void> {
    // Its reader reports what cannot be read.
    const readState = () => read().catch(() => 'unreadable');
    this.#watched.set(name, { state: await readState(), read: readState });
  }
}

const NAME_CHARACTERS = 12;

async function hasChanged({ state, read }: WatchedState): Promise<boolean> {
  return (await read()) !== state;
}

async function readFileState(path: string, within: string | undefined): Promise<string> {
  const entry = await findEntry(path, within);
  return entry === undefined ? 'missing' : [entry.ino, entry.size, entry.mtimeMs].join(' ');
}

async function identifyFile(path: string, within: string | undefined): Promise<string> {
  const entry = await findEntry(path, within).catch(() => undefined);
  if (entry === undefined) return 'missing';
  if (path.endsWith('.parquet')) return `${entry.size}`;
  return hashFile(path, within).then(
    ({ sha256 }) => sha256,
    () => 'unreadable',
  );
}
