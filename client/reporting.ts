import { setTimeout as wait } from 'node:timers/promises';
import {
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
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
  let isStopping = false;
  let isUrgent = false;
  let interrupt = noop;
  let answeredAtMs = performance.now();
  let failures = 0;
  let [reportMs, queryMs, version] = [RETRY_MS, RETRY_MS, 0];

  const within = <T>(milliseconds: number, ask: () => Promise<T>) =>
    client.withDeadline(Date.now() + milliseconds, ask);

  const send = async (leaving: boolean): Promise<void> => {
    isUrgent = false;
    const reportedAtMs = performance.now();
    const directives = await within(leaving ? LAST_REPORT_MS : ANSWER_MS, () =>
      handle.executeUpdate(reportUpdate, { args: [report(leaving)] }),
    );
    answeredAtMs = performance.now();
    failures = 0;
    ({ version, queryIntervalMs: queryMs } = directives);
    reportMs = onAnswer(directives, reportedAtMs);
  };

  const recover = async (error: unknown): Promise<void> => {
    if (performance.now() - answeredAtMs > UNRESPONSIVE_MS) onUnresponsive(workflowId);
    failures += 1;
    const isLate = error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
    if (isLate || error instanceof WorkflowNotFoundError) await within(ANSWER_MS, start).catch(noop);
    // A server drops reports to one workflow where more than ten arrive at once: they must not come back together.
    reportMs = RETRY_MS * (1 + Math.random() * Math.min(16, 2 ** failures));
  };

  const hasNews = async () =>
    (await within(ANSWER_MS, () => handle.query(newsVersion)).catch(() => version)) !== version;

  /** Resolves after an interval, or when there is something to report, or news. */
  const untilDue = async () => {
    // Spread: those that begin together would report together for ever.
    const dueAtMs = performance.now() + reportMs * (0.8 + Math.random() * 0.2);
    while (!isUrgent && !isStopping) {
      const leftMs = dueAtMs - performance.now();
      if (leftMs <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, queryMs)).unref();
        interrupt = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (leftMs > queryMs && !isUrgent && (await hasNews())) return;
    }
    await wait(LEAST_INTERVAL_MS);
  };

  const loop = async () => {
    while (!isStopping) {
      await send(false).catch(recover);
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
      isStopping = true;
      interrupt();
      await Promise.race([looping, wait(LAST_REPORT_MS, undefined, { ref: false })]);
      await send(true).catch(noop);
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
