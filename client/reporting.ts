import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import {
  newsVersion,
  report as reportUpdate,
  type Directives,
  type WorkerReport,
} from '../workflows/messages';

/** The reports of a process to one control workflow. */
export interface Reporting {
  /** Reports without waiting for the interval to end. */
  reportNow(): void;
  /** Reports a last time, if the workflow answers, and ends. */
  stop(): Promise<void>;
}

export interface ReportingOptions {
  readonly client: Client;
  readonly workflowId: string;
  readonly report: (leaving: boolean) => WorkerReport;
  /**
   * Takes an answer; returns milliseconds until the next report.
   * @param reportedAtMs when the report was made, by `performance.now()`
   */
  readonly onAnswer: (directives: Directives, reportedAtMs: number) => number;
  /** Starts the workflow where there is none, or none that answers. */
  readonly start: () => Promise<void>;
  /** Called again and again while it has not answered for long. */
  readonly onUnresponsive: (workflowId: string) => void;
}

/** Reports to a control workflow, one report at a time, until it is stopped. Whatever fails is tried again. */
export function startReporting(options: ReportingOptions): Reporting {
  const { client, workflowId, report, onAnswer, start, onUnresponsive } = options;
  const handle = client.workflow.getHandle(workflowId);
  const stopping = new AbortController();
  let answeredAtMs = performance.now();
  let failures = 0;
  let isUrgent = false;
  let interrupt = noop;

  let intervals = { reportMs: RETRY_MS, queryMs: RETRY_MS, version: 0 };

  const once = async (leaving: boolean): Promise<void> => {
    isUrgent = false;
    const reportedAtMs = performance.now();
    const given = new AbortController();
    const late = setTimeout(() => given.abort(), leaving ? LAST_REPORT_MS : ANSWER_MS);
    try {
      // A signal of its own for each: the client leaves a listener behind on it.
      const directives = await client.withAbortSignal(given.signal, () =>
        handle.executeUpdate(reportUpdate, { args: [report(leaving)] }),
      );
      answeredAtMs = performance.now();
      failures = 0;
      const { version, queryIntervalMs: queryMs } = directives;
      intervals = { reportMs: onAnswer(directives, reportedAtMs), queryMs, version };
    } catch (error) {
      if (leaving) return;
      if (performance.now() - answeredAtMs > UNRESPONSIVE_MS) onUnresponsive(workflowId);
      failures += 1;
      if (error instanceof WorkflowNotFoundError || given.signal.aborted)
        await client.withDeadline(Date.now() + ANSWER_MS, start).catch(noop);
      // A server drops reports to one workflow where more than ten arrive at once: they must not come back together.
      intervals = { ...intervals, reportMs: RETRY_MS * (1 + Math.random() * Math.min(16, 2 ** failures)) };
    } finally {
      clearTimeout(late);
      given.abort();
    }
  };
  /** Resolves after an interval, or when there is something to report, or news. */
  const untilDue = async () => {
    // Spread: those that begin together would report together for ever.
    const dueAtMs = performance.now() + intervals.reportMs * (0.8 + Math.random() * 0.2);
    for (;;) {
      if (isUrgent || stopping.signal.aborted) break;
      const leftMs = dueAtMs - performance.now();
      if (leftMs <= 0) return;
      const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
      const sleeping = new AbortController();
      const asleep = wait(Math.min(leftMs, intervals.queryMs), undefined, {
        signal: sleeping.signal,
        ref: false,
      }).catch(noop);
      await Promise.race([interrupted, asleep]);
      sleeping.abort();
      if (leftMs > intervals.queryMs && !isUrgent && (await hasNews())) return;
    }
    await wait(LEAST_INTERVAL_MS);
  };
  const hasNews = async () => {
    try {
      return (
        (await client.withDeadline(Date.now() + ANSWER_MS, () => handle.query(newsVersion))) !==
        intervals.version
      );
    } catch {
      return false;
    }
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await once(false);
      await untilDue();
    }
  };
  const looping = loop();
  return {
    reportNow() {
      isUrgent = true;
      interrupt();
    },
    async stop() {
      stopping.abort();
      interrupt();
      await Promise.race([looping, wait(LAST_REPORT_MS, undefined, { ref: false })]);
      await once(true);
    },
  };
}

/** Without an answer for so long, the user hears of it. */
const UNRESPONSIVE_MS = 30_000;

/** A report is answered at once where a worker carries the workflow on. */
const ANSWER_MS = 10_000;

const LAST_REPORT_MS = 2_000;

const RETRY_MS = 500;

/** However much there is to report. */
const LEAST_INTERVAL_MS = 20;

function noop(): void {}
