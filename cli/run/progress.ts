import { formatAmount } from '../../schemas/text/amount-text';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatModelName } from '../../schemas/model/model-spec';
import type { RunEvent, RunListener } from '../../activities/run-events';
import { computeTotals, mergeLedgers } from '../../engine/costs/ledger';
import { TICK_MS } from '../../engine/costs/pace';
import { TimeLeft, type WorkReading } from '../../engine/costs/time-left';
import type { Ledger } from '../../schemas/run/ledger';
import { formatDuration } from '../../schemas/text/numbers';
import { formatSlowCalls, SlowCallWatch } from './slow-calls';
import { drawLines, eraseRows, writeText, type Output } from '../output';

/** Progress of a run for its user. */
export interface Status {
  /** Name of the current phase. A new phase restarts the estimate of the time left. */
  readonly phase?: string;
  /** The line above the calls. */
  readonly summary: string;
  /** Descriptions of the work items in progress. */
  readonly inProgress: readonly string[];
  /** Amounts done and left, for the estimate of the time left; absent while that cannot be estimated. */
  readonly work?: WorkReading;
  /** Present while the results are written, after the last call. */
  readonly writing?: true;
  /** Reason why no further work is started. */
  readonly misconfiguration?: string;
}

/** A view of a run's progress: redrawn in place on a terminal, a line every few seconds elsewhere. */
export interface ProgressView extends AsyncDisposable {
  readonly observe: RunListener;
  readonly update: (status: Status) => void;
  /** Shows why no call is made, in a word or two; undefined once calls are made again. */
  readonly stands: (reason: string | undefined) => void;
  /** Prints a line that stays. */
  readonly say: (line: string) => void;
  /** Prints a line even if nothing else is printed. */
  readonly warn: (line: string) => void;
  /** Counts the calls of the run from before this command. */
  readonly countEarlier: (ledger: Ledger) => void;
  readonly totals: () => Totals;
  /** Returns the calls of the run: those of this process and the earlier ones. */
  readonly ledger: () => Ledger;
  /** Returns the number of calls that this process has answered. */
  readonly answered: () => number;
  /** Erases the redrawn lines. */
  readonly hide: () => void;
  /** Shows no progress from now on, only what is said: the command is being stopped. */
  readonly end: () => void;
}

/** Totals of a run. */
interface Totals {
  readonly calls: number;
  /** Those among them from before this command. */
  readonly earlierCalls: number;
  readonly badAnswers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Calls without reported tokens, which the sums lack. */
  readonly uncountedCalls: number;
}

export function createProgressView(output: Output, quiet: boolean): ProgressView {
  const terminal = output.isTTY && !quiet;
  const lastSaid = new Map<string, number>();
  const timeLeft = new TimeLeft();
  const clock = setInterval(() => timeLeft.tick(performance.now()), TICK_MS).unref();
  const slowCalls = new SlowCallWatch();
  let ledger: Ledger = [];
  let earlier = 0;
  let status: Status | undefined;
  let drawnRows = 0;
  let lastLineMs = 0;
  let lastLineText = '';
  let still: string | undefined;
  let silent: Extract<RunEvent, { type: 'silent' }> | undefined;
  let isEnded = false;

  const erase = () => {
    eraseRows(output, drawnRows);
    drawnRows = 0;
  };
  const warn = (line: string) => {
    erase();
    writeText(output, line);
    draw();
  };
  const say = (line: string) => {
    if (!quiet) warn(line);
  };
  const totals = () => computeViewTotals(ledger, earlier);
  /** Renders the time left, or why no call is made, and how far the run is. */
  const summaryLine = (now: Status): string => {
    if (now.writing) return now.summary;
    const silence = silent?.message === undefined ? [] : [formatSilence(silent.name, silent.message)];
    const pace = still === undefined ? [formatTimeLeft(timeLeft), ...silence].join(', ') : still;
    return `${pace}; ${now.summary}`;
  };
  const callsLine = (now: Status): string => {
    if (now.writing) return formatCalls(totals());
    const rate = still === undefined ? timeLeft.callsPerMinute(performance.now()) : undefined;
    const speed = rate === undefined ? [] : [`${formatNumber(Math.round(rate))} calls/min`];
    return [...speed, formatCalls(totals())].join(', ');
  };
  const count = (rows: Ledger) => {
    ledger = mergeLedgers([ledger, rows]);
  };
  const draw = () => {
    if (!terminal || status === undefined) return;
    erase();
    drawnRows = drawLines(output, [
      summaryLine(status),
      callsLine(status),
      ...truncateLines(status.inProgress, 8).map((line) => `  ${line}`),
    ]);
  };

  const hide = () => {
    erase();
    status = undefined;
  };

  return {
    say,
    warn,
    totals,
    countEarlier(before) {
      count(before);
      earlier += computeTotals(before).calls;
    },
    ledger: () => ledger,
    answered: () => timeLeft.answered,
    observe(event) {
      slowCalls.follow(event, performance.now());
      if (event.type === 'delayed') {
        // Each cause is printed twice a minute at most: an unavailable model fails many calls.
        const now = performance.now();
        if (now - (lastSaid.get(event.cause) ?? Number.NEGATIVE_INFINITY) < 30_000) return;
        lastSaid.set(event.cause, now);
        say(WAITING[event.cause]?.(event.message) ?? `Waiting (${event.cause}): ${event.message}`);
      } else if (event.type === 'silent') silent = event;
      else if (event.type === 'noticed') say(event.message);
      else if (event.type === 'learned') say(formatLearned(event));
      else if (event.type === 'batch') count(event.rows);
      else if (event.type === 'sent') timeLeft.callSent(performance.now());
      else if (event.type === 'failed') timeLeft.callFailed(event.kind, performance.now());
      else if (event.type === 'answered') {
        count([event.row]);
        timeLeft.callAnswered(performance.now(), event.row.durationMs);
      }
    },
    update(now) {
      if (isEnded) return;
      timeLeft.read(now.phase, now.work, performance.now());
      status = now;
      for (const slow of slowCalls.findUnreported(performance.now()))
        say(`${formatSlowCalls(slow)}. Other calls continue. A call that times out is sent again.`);
      if (now.misconfiguration !== undefined && !lastSaid.has('misconfigured')) {
        lastSaid.set('misconfigured', performance.now());
        say(
          `The configuration is invalid, so no further work is started. Waiting for the work in progress. (${now.misconfiguration})`,
        );
      }
      if (terminal) {
        draw();
      } else if (!quiet && performance.now() - lastLineMs > 5_000) {
        const line = [summaryLine(now), callsLine(now), ...truncateLines(now.inProgress, 4)].join('; ');
        // An unchanged line, as while a model is unavailable, is printed once a minute; a pause is printed once.
        if (line === lastLineText && (still !== undefined || performance.now() - lastLineMs < 60_000)) return;
        lastLineMs = performance.now();
        lastLineText = line;
        writeText(output, line);
      }
    },
    stands(reason) {
      timeLeft.setPaused(reason !== undefined, performance.now());
      still = reason;
    },
    hide,
    end() {
      isEnded = true;
      hide();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(clock);
      erase();
    },
  };
}

const WAITING: Readonly<Record<string, (message: string) => string>> = {
  'rate-limit': (message) =>
    `The model's rate limit is reached. Calls are retried when it allows them. (${message})`,
  unavailable: (message) => `Calls to the model fail, and are sent again until it answers. (${message})`,
  'no-capacity': (message) =>
    `The tier has no capacity. Calls wait for it; --tier-fallback 30m sends them in the standard tier after that time. (${message})`,
  timeout: (message) => `The model did not answer in time. The call is sent again. (${message})`,
  connection: (message) => `Calls do not reach the model, and are sent again until they do. (${message})`,
  'invalid-response': (message) =>
    `The model's server sent no answer. The call is tried three times. (${message})`,
  'memory-away': (message) => `The memory system is asked again until it answers. (${message})`,
  'window-exceeded': (message) => `An answer was not used, because its prompt did not fit. (${message})`,
  unresponsive: (message) =>
    `The workflow ${message} has not answered for 30 s, and no call is made without it. It is retried until it answers. Check that the Temporal server is running.`,
  'disk-full': (message) =>
    `The disk is full, so no call is made; answers in flight are held in memory. Free some space and the run continues by itself. (${message})`,
  store: (message) =>
    `The run's object storage does not answer, so no call is made; answers in flight are held in memory, and everything is retried until it does. (${message})`,
  disk: (message) =>
    `An answer cannot be written to disk, so no call is made until it can; the answer is held in memory. (${message})`,
};

function computeViewTotals(ledger: Ledger, earlierCalls: number): Totals {
  const { calls, badAnswers, input, output, uncountedCalls } = computeTotals(ledger);
  return { calls, earlierCalls, badAnswers, inputTokens: input, outputTokens: output, uncountedCalls };
}

function formatCalls(counts: Totals): string {
  const earlier =
    counts.earlierCalls > 0 ? ` (${formatNumber(counts.earlierCalls)} before this command)` : '';
  const tokens = `${formatAmount(counts.inputTokens, 'tokens')} in, ${formatAmount(counts.outputTokens, 'tokens')} out`;
  return `${formatCount(counts.calls, 'call')}${earlier}, ${tokens}, ${formatCount(counts.badAnswers, 'bad answer')}`;
}

/** Keeps the first lines, and counts the others. */
function truncateLines(lines: readonly string[], maximum: number): string[] {
  if (lines.length <= maximum) return [...lines];
  return [...lines.slice(0, maximum), `and ${formatNumber(lines.length - maximum)} more`];
}

/** Describes for how long a memory system has not replied, in steps of half a minute, so that few lines are printed. */
function formatSilence(
  name: string,
  { kind, sinceMs }: NonNullable<Extract<RunEvent, { type: 'silent' }>['message']>,
): string {
  const seconds = Math.max(30, Math.floor((performance.now() - sinceMs) / 30_000) * 30);
  return `${name} has not replied to ${kind} for over ${formatDuration(seconds)}`;
}

function formatTimeLeft(timeLeft: TimeLeft): string {
  if (timeLeft.left === 0) return 'almost done';
  const seconds = timeLeft.seconds(performance.now());
  return seconds === undefined ? 'time left not known yet' : `about ${formatDuration(seconds)} left`;
}

/** Describes a change of the requests to a model, and its reason. */
function formatLearned({ spec, facts, message }: Extract<RunEvent, { type: 'learned' }>): string {
  const name = formatModelName(spec);
  if (facts.assistantFirst !== undefined)
    return `The chat template of ${name} takes no conversation that begins with the assistant, so an opening message of the user is put before it. ${message}`;
  if (facts.systemRole !== undefined)
    return `The chat template of ${name} takes no system message, so its text is put into the first user message. ${message}`;
  if (facts.api !== undefined)
    return `${name} is not in chat completions, so calls use the Responses API. ${message}`;
  if (facts.extraTokens === 0)
    return `${name} does not accept the limit that was raised for its reasoning, so the usual one is sent again. ${message}`;
  if (facts.extraTokens !== undefined)
    return `${message} ${name} gets ${formatNumber(facts.extraTokens)} tokens more in each call from now on. An answer that fails twice in this way is not asked for again: set reasoningEffort: low, body or a larger maxTokens for the step in --settings.`;
  return `${name} rejected a parameter, so calls continue without it (${Object.keys(facts).join(', ')}). ${message}`;
}
