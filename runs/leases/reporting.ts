import { setTimeout as wait } from 'node:timers/promises';
import {
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { newsVersion, report, type Directives, type WorkerReport } from '../../workflows/messages';

export interface ReportingOptions {
  readonly client: Client;
  readonly workflowId: string;
  readonly report: (leaving: boolean) => WorkerReport;
  /**
   * Receives an answer; returns milliseconds until the next report.
   * @param reportedAtMs time of the report, by `performance.now()`
   */
  readonly onAnswer: (directives: Directives, reportedAtMs: number) => number;
  /** Minimum milliseconds between two queries for changes. */
  readonly leastQueryMs: number;
  /** Starts the workflow if there is none, or it does not answer. */
  readonly start: () => Promise<void>;
  /** Called repeatedly while it has not answered for long. */
  readonly onUnresponsive: (workflowId: string) => void;
}

/** Reports of a process to a control workflow, one at a time, until it is stopped. A failed report is sent again. */
export class Reporting {
  readonly #workflow: WorkflowHandle;
  readonly #looping: Promise<void>;
  #isStopping = false;
  #isUrgent = false;
  #interrupt: () => void = noop;
  #answeredAtMs = performance.now();
  #failures = 0;
  #reportMs = RETRY_MS;
  #queryMs = RETRY_MS;
  #version = 0;

  constructor(private readonly options: ReportingOptions) {
    this.#workflow = options.client.workflow.getHandle(options.workflowId);
    this.#looping = this.#loop();
  }

  /** Reports without waiting for the interval to end. */
  reportNow(): void {
    this.#isUrgent = true;
    this.#interrupt();
  }

  /** Reports a last time if the workflow answers, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#interrupt();
    await Promise.race([this.#looping, wait(LAST_REPORT_MS, undefined, { ref: false })]);
    await this.#send(true).catch(noop);
  }

  async #loop(): Promise<void> {
    while (!this.#isStopping) {
      await this.#send(false).catch((reason: unknown) => this.#recover(reason));
      await this.#untilDue();
    }
  }

  async #send(leaving: boolean): Promise<void> {
    this.#isUrgent = false;
    const reportedAtMs = performance.now();
    const directives = await this.#within(leaving ? LAST_REPORT_MS : ANSWER_MS, () =>
      this.#workflow.executeUpdate(report, { args: [this.options.report(leaving)] }),
    );
    if (directives.version < this.#version) {
      throw new Error(
        `${this.options.workflowId} was set back: its directives are older than those in force.`,
      );
    }
    this.#answeredAtMs = performance.now();
    this.#failures = 0;
    this.#version = directives.version;
    this.#queryMs = Math.max(directives.queryIntervalMs, this.options.leastQueryMs);
    this.#reportMs = this.options.onAnswer(directives, reportedAtMs);
  }

  async #recover(reason: unknown): Promise<void> {
    const { workflowId, start, onUnresponsive } = this.options;
    if (performance.now() - this.#answeredAtMs > UNRESPONSIVE_MS) onUnresponsive(workflowId);
    this.#failures += 1;
    const isLate = reason instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
    if (isLate || reason instanceof WorkflowNotFoundError) await this.#within(ANSWER_MS, start).catch(noop);
    // A server rejects more than ten simultaneous reports to one workflow, so retries must be spread.
    this.#reportMs = RETRY_MS * (1 + Math.random() * Math.min(16, 2 ** this.#failures));
  }

  /** Resolves after an interval, or when there is something to report, or a change. */
  async #untilDue(): Promise<void> {
    // Randomized, because workers that start together would otherwise always report together.
    const dueAtMs = performance.now() + this.#reportMs * (0.8 + Math.random() * 0.2);
    while (!this.#isUrgent && !this.#isStopping) {
      const leftMs = dueAtMs - performance.now();
      if (leftMs <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, this.#queryMs)).unref();
        this.#interrupt = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (leftMs > this.#queryMs && !this.#isUrgent && (await this.#hasNews())) return;
    }
    await wait(LEAST_INTERVAL_MS);
  }

  async #hasNews(): Promise<boolean> {
    const query = this.#within(ANSWER_MS, () => this.#workflow.query(newsVersion));
    return (await query.catch(() => this.#version)) !== this.#version;
  }

  #within<T>(milliseconds: number, ask: () => Promise<T>): Promise<T> {
    return this.options.client.withDeadline(Date.now() + milliseconds, ask);
  }
}

/** Time without an answer after which the user is informed. */
const UNRESPONSIVE_MS = 30_000;

/** Timeout of a report, which a worker of the workflow answers at once. */
const ANSWER_MS = 10_000;

const LAST_REPORT_MS = 2_000;

const RETRY_MS = 500;

/** Minimum interval, however much there is to report. */
const LEAST_INTERVAL_MS = 20;

function noop(): void {}
