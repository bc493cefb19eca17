import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { NamedFile } from '../../store/named-file';
import { DataError } from '../../store/data-error';
import { getErrorCode } from '../../store/system-error';
import { createMemoryError, MAX_MEMORY_MB, TooMuchAtOnce } from '../bounds';
import { createDamageError } from '../damage';
import type { ColumnNames } from '../row';
import type { TableReply, TableRequest, TableSummary } from './messages';
import { THREAD_FILE } from './thread-file';

/**
 * A thread that reads one table at a time. A few bytes of a foreign file can claim any number of values, and a library that believes
 * them fills the memory or never ends. The thread is stopped where one request takes too much.
 */
export class TableThread {
  static #idle: TableThread | undefined;
  readonly #worker: Worker;
  #file: NamedFile;
  #isOver = false;
  #idleTimer: NodeJS.Timeout | undefined;

  private constructor(file: NamedFile) {
    this.#file = file;
    // Libraries report their own defects on standard error.
    const output = { stdout: true, stderr: true };
    this.#worker = new Worker(THREAD_FILE, {
      ...output,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    });
    // A request that waits gets the error as well.
    this.#worker.on('error', () => (this.#isOver = true));
  }

  /** Returns the idle thread or a new one, for this file. */
  static take(file: NamedFile): TableThread {
    const idle = TableThread.#idle;
    if (idle === undefined || idle.#isOver) return new TableThread(file);
    TableThread.#idle = undefined;
    clearTimeout(idle.#idleTimer);
    idle.#worker.ref();
    idle.#file = file;
    return idle;
  }

  /**
   * Opens the file to read rows with these columns.
   * @param group index of the only row group to read
   * @throws DataError when a column is missing or the file is not whole
   */
  async open(columns: ColumnNames, group?: number): Promise<TableSummary> {
    const reply = await this.#ask({ kind: 'open', file: this.#file, columns, group });
    if (!('summary' in reply)) throw new Error('The thread did not answer with a summary.');
    return reply.summary;
  }

  /**
   * Returns the next rows, or undefined at the end.
   * @throws DataError when they are not whole or exceed the limits
   */
  async readNext(): Promise<readonly unknown[] | undefined> {
    const reply = await this.#ask({ kind: 'next' });
    if (!('rows' in reply)) throw new Error('The thread did not answer with rows.');
    return reply.rows;
  }

  /** Keeps the thread for the next file, for some seconds. */
  release(): void {
    if (this.#isOver) return;
    if (TableThread.#idle !== undefined) {
      this.#stop();
      return;
    }
    TableThread.#idle = this;
    this.#worker.unref();
    this.#idleTimer = setTimeout(() => {
      TableThread.#idle = undefined;
      this.#stop();
    }, IDLE_MS).unref();
  }

  #stop(): void {
    this.#isOver = true;
    void this.#worker.terminate();
  }

  async #ask(request: TableRequest): Promise<Exclude<TableReply, { readonly failure: string }>> {
    let reply: TableReply | undefined;
    const over = new AbortController();
    const watch = watchLimits((error) => over.abort(error));
    try {
      if (this.#isOver) throw new Error('The thread ended between two requests.');
      this.#worker.postMessage(request, []);
      [reply] = await once(this.#worker, 'message', { signal: over.signal });
    } catch (error) {
      this.#stop();
      const isFull = getErrorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      const cause = isFull ? createMemoryError() : (over.signal.reason ?? error);
      throw await createDamageError(this.#file, cause);
    } finally {
      clearInterval(watch);
    }
    if (reply === undefined || 'failure' in reply) throw new DataError(reply?.failure);
    return reply;
  }
}

/** Calls back when this process takes more memory or processor time from now on than one request may. */
function watchLimits(onExceeded: (error: TooMuchAtOnce) => void): NodeJS.Timeout {
  const memoryBefore = process.memoryUsage.rss();
  const cpuBefore = process.cpuUsage();
  let excess: TooMuchAtOnce | undefined;
  return setInterval(() => {
    // An answer that came while this thread was busy is delivered between two ticks.
    if (excess !== undefined) onExceeded(excess);
    const { user, system } = process.cpuUsage(cpuBefore);
    if (process.memoryUsage.rss() - memoryBefore > MAX_MEMORY_MB * 1e6) excess = createMemoryError();
    else if (user + system > MAX_CPU_SECONDS * 1e6)
      excess = new TooMuchAtOnce(`its next rows need more than ${MAX_CPU_SECONDS} s of processor time`);
  }, WATCH_MS);
}

const WATCH_MS = 50;
const IDLE_MS = 2_000;
const MAX_HEAP_MB = 800;
/** Rows are short-lived. With the preset size, a hundred megabytes of them wait in each thread to be collected. */
const MAX_YOUNG_MB = 8;
/** Twenty rows take some 10 ms, and the first of a row group of 500 MB some seconds. */
const MAX_CPU_SECONDS = 10;
