import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatModelName } from '../../schemas/model/model-spec';
import type { RunEvent, RunListener } from '../../activities/run-events';
import type { LedgerRow } from '../../schemas/run/ledger';
import { formatDuration } from '../../schemas/text/numbers';
import { drawLines, eraseRows, writeText, type Output } from '../output';

/** Progress of a run for its user. */
export interface Status {
  /** Name of the current phase. A new phase restarts the estimate of the time left. */
  readonly phase?: string;
  /** The line above the calls. */
  readonly summary: string;
  /** Descriptions of the work items in progress. */
  readonly inProgress: readonly string[];
  /**
   * Calls or work items that this run has done and has left, in one unit, for the estimate of the time left. Absent
   * while unknown.
   */
  readonly done?: number;
  readonly left?: number;
  /** Reason why no further work is started. */
  readonly misconfigured?: string;
}

/** A view of a run's progress: redrawn in place on a terminal, a line every few seconds elsewhere. */
export interface ProgressView extends AsyncDisposable {
  readonly observe: RunListener;
  readonly update: (status: Status) => void;
  /** Shows why no call is made, in a word or two; undefined once calls are made again. */
  readonly stands: (why: string | undefined) => void;
  /** Prints a line that stays. */
  readonly say: (line: string) => void;
  /** Prints a line even if nothing else is printed. */
  readonly warn: (line: string) => void;
  readonly totals: () => Readonly<Totals>;
  /** Erases the redrawn lines. */
  readonly hide: () => void;
}

interface Totals {
  calls: number;
  fromJournal: number;
  badAnswers: number;
  inputTokens: number;
  outputTokens: number;
  /** Calls without reported tokens, which the sums lack. */
  uncounted: number;
}

export function createProgressView(output: Output, quiet: boolean): ProgressView {
  const terminal = output.isTTY && !quiet;
  const counts = { calls: 0, fromJournal: 0, badAnswers: 0, inputTokens: 0, outputTokens: 0, uncounted: 0 };
  const recent: number[] = [];
  const lastSaid = new Map<string, number>();
  const pace = new Pace();
  let status: Status | undefined;
  let drawn = 0;
  let lastLine = 0;
  let said = '';
  let still: string | undefined;

  const erase = () => {
    eraseRows(output, drawn);
    drawn = 0;
  };
  const warn = (line: string) => {
    erase();
    writeText(output, line);
    draw();
  };
  const say = (line: string) => {
    if (!quiet) warn(line);
  };
  const callsLine = (now: Status): string =>
    `${formatCalls(counts)}, ${still ?? `${rate(recent).toFixed(1)} calls/s, ${formatTimeLeft(now, pace)}`}`;
  const draw = () => {
    if (!terminal || status === undefined) return;
    erase();
    drawn = drawLines(output, [
      status.summary,
      callsLine(status),
      ...truncateLines(status.inProgress, 8).map((line) => `  ${line}`),
    ]);
  };

  return {
    say,
    warn,
    totals: () => counts,
    observe(event) {
      if (event.type === 'delayed') {
        // Each cause is printed twice a minute at most: an unavailable model fails many calls.
        const now = performance.now();
        if (now - (lastSaid.get(event.cause) ?? Number.NEGATIVE_INFINITY) < 30_000) return;
        lastSaid.set(event.cause, now);
        say(WAITING[event.cause]?.(event.message) ?? `Waiting (${event.cause}): ${event.message}`);
      } else if (event.type === 'noticed') say(event.message);
      else if (event.type === 'learned') say(formatLearned(event));
      else if (event.type === 'found') counts.fromJournal += 1;
      else if (event.type === 'batch') for (const row of event.rows) addRow(counts, row);
      else if (event.type === 'answered') {
        addRow(counts, event.row);
        recent.push(performance.now());
        forgetOld(recent);
      }
    },
    update(now) {
      if (status?.phase !== now.phase) pace.restart();
      status = now;
      if (now.done !== undefined) pace.add(now.done);
      if (now.misconfigured !== undefined && !lastSaid.has('misconfigured')) {
        lastSaid.set('misconfigured', performance.now());
        say(
          `The configuration is invalid, so no further work is started. Waiting for the work in progress. (${now.misconfigured})`,
        );
      }
      if (terminal) {
        draw();
      } else if (!quiet && performance.now() - lastLine > 5_000) {
        const line = [now.summary, ...truncateLines(now.inProgress, 4), callsLine(now)].join('; ');
        // An unchanged line, as while a model is unavailable, is printed once a minute; a pause is printed once.
        if (line === said && (still !== undefined || performance.now() - lastLine < 60_000)) return;
        lastLine = performance.now();
        said = line;
        writeText(output, line);
      }
    },
    stands(why) {
      // A pause does not make the run slower.
      pace.restart();
      still = why;
    },
    hide() {
      erase();
      status = undefined;
    },
    async [Symbol.asyncDispose]() {
      erase();
    },
  };
}

const WAITING: Readonly<Record<string, (message: string) => string>> = {
  'rate-limit': (message) =>
    `The model's rate limit is reached. Calls are retried when it allows. (${message})`,
  unavailable: (message) => `The model is unavailable. Calls are retried until it answers. (${message})`,
  'no-capacity': (message) =>
    `The tier has no capacity. Calls wait for it; --tier-fallback 30m sends them in the standard tier after that time. (${message})`,
  timeout: (message) => `The model did not answer in time. The call is retried. (${message})`,
  connection: (message) => `The model cannot be reached. Calls are retried until it can. (${message})`,
  'invalid-response': (message) =>
    `The model's server sent no answer. The call is tried three times. (${message})`,
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

function addRow(counts: Totals, { calls, bad, input, output, uncounted }: LedgerRow): void {
  counts.calls += calls;
  counts.badAnswers += bad;
  counts.inputTokens += input;
  counts.outputTokens += output;
  counts.uncounted += uncounted;
}

function formatCalls(counts: Readonly<Totals>): string {
  const journal =
    counts.fromJournal > 0 ? ` (${formatNumber(counts.fromJournal)} more from the journal)` : '';
  const tokens = `${formatShort(counts.inputTokens)} tokens in, ${formatShort(counts.outputTokens)} out`;
  return `${formatCount(counts.calls, 'call')}${journal}, ${tokens}, ${formatCount(counts.badAnswers, 'bad answer')}`;
}

/** Keeps the first lines, and counts the others. */
function truncateLines(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `and ${formatNumber(lines.length - most)} more`];
}

/** Computes calls per second over the last half minute. */
function rate(recent: number[]): number {
  forgetOld(recent);
  const first = recent[0];
  return first === undefined ? 0 : recent.length / Math.max(1, (performance.now() - first) / 1_000);
}

// Called for every call, too, because only a display asks for the rate.
function forgetOld(recent: number[]): void {
  const since = performance.now() - 30_000;
  while ((recent[0] ?? since) < since) recent.shift();
}

function formatTimeLeft({ left }: Status, pace: Pace): string {
  if (left === 0) return 'almost done';
  const seconds = left === undefined ? undefined : pace.secondsFor(left);
  return seconds === undefined ? 'time left not known yet' : `about ${formatDuration(seconds)} left`;
}

function formatShort(count: number): string {
  if (count < 10_000) return String(count);
  return count < 10_000_000 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Describes a change of the requests to a model, and its reason. */
function formatLearned({ spec, facts, message }: Extract<RunEvent, { type: 'learned' }>): string {
  const name = formatModelName(spec);
  if (facts.assistantFirst !== undefined)
    return `The chat template of ${name} takes no conversation that begins with the assistant, so an opening message of the user is put before it. ${message}`;
  if (facts.systemRole !== undefined)
    return `The chat template of ${name} takes no system message, so its text is put into the first user message. ${message}`;
  return `${name} rejected a parameter, so calls continue without it (${Object.keys(facts).join(', ')}). ${message}`;
}

/** The rate of work in the last minute. */
class Pace {
  readonly #samples: { readonly at: number; readonly done: number }[] = [];

  /** Records the amount done so far. */
  add(done: number): void {
    const at = performance.now();
    const last = this.#samples.at(-1);
    // Retried work no longer counts as done, so earlier samples are useless.
    if (last !== undefined && done < last.done) this.restart();
    this.#samples.push({ at, done });
    const since = at - WINDOW_MS;
    while ((this.#samples[1]?.at ?? at) < since) this.#samples.shift();
  }

  /** Forgets the samples, so that a pause does not lower the rate. */
  restart(): void {
    this.#samples.length = 0;
  }

  /** Returns the seconds until `left` more is done. Undefined while nothing was done, or the time watched is too short. */
  secondsFor(left: number): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return undefined;
    const done = last.done - first.done;
    return done === 0 ? undefined : (left * (last.at - first.at)) / 1_000 / done;
  }
}

const WINDOW_MS = 60_000;
const LEAST_MS = 5_000;
