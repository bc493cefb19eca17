import type { WorldEvent } from '../workers/world';
import { drawLines, eraseRows, writeText, type Output } from './output';

/** How far a run is, in words for its user. */
export interface Status {
  /** What is being done; the time left starts anew with another. */
  readonly phase?: string;
  /** The line above the calls. */
  readonly summary: string;
  /** Lines beneath, on a terminal only. */
  readonly atWork: readonly string[];
  /** Pieces of work closed so far, those open, and those in all where that is known: what the time left follows from. */
  readonly closed: number;
  readonly open: number;
  readonly total?: number;
  /** Those of the closed ones that were closed before this command; where absent, those closed when it first looked. */
  readonly before?: number;
  /** Why nothing further is started. */
  readonly misconfigured?: string;
}

/** Shows how far a run is: redrawn in place on a terminal, a line every few seconds elsewhere. */
export interface ProgressView extends AsyncDisposable {
  readonly observe: (event: WorldEvent) => void;
  readonly update: (status: Status) => void;
  /** Tells why the run stands still, in a word or two; undefined once it goes on. */
  readonly stands: (why: string | undefined) => void;
  /** A line that stays. */
  readonly say: (line: string) => void;
  /** A line that is told even where nothing else is. */
  readonly warn: (line: string) => void;
  readonly totals: () => Totals;
  /** Takes the redrawn part off the screen. */
  readonly hide: () => void;
}

export interface Totals {
  readonly calls: number;
  readonly fromJournal: number;
  readonly badAnswers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Calls whose provider reported no tokens: the sums lack them. */
  readonly uncounted: number;
}

export function progressView(output: Output, quiet: boolean): ProgressView {
  const terminal = output.isTTY && !quiet;
  const counts = { calls: 0, fromJournal: 0, badAnswers: 0, inputTokens: 0, outputTokens: 0, uncounted: 0 };
  const recent: number[] = [];
  const lastSaid = new Map<string, number>();
  let start: number | undefined;
  let status: Status | undefined;
  let closedBefore: number | undefined;
  let drawn = 0;
  let lastLine = 0;
  let said = '';
  let still: { readonly why: string; readonly since: number } | undefined;

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
  const summary = (now: Status): string[] => [
    now.summary,
    `${callsText(counts)}, ${still?.why ?? paceText(now)}`,
  ];
  const paceText = (now: Status): string =>
    `${rate(recent).toFixed(1)} calls/s, ${timeLeft(now, now.before ?? closedBefore ?? 0, start ?? performance.now())}`;
  const draw = () => {
    if (!terminal || status === undefined) return;
    erase();
    drawn = drawLines(output, [...summary(status), ...status.atWork]);
  };

  return {
    say,
    warn,
    totals: () => counts,
    observe(event) {
      if (event.type === 'waiting') {
        // One line a cause and half minute: a model that is down fails many calls.
        const now = performance.now();
        if (now - (lastSaid.get(event.cause) ?? Number.NEGATIVE_INFINITY) < 30_000) return;
        lastSaid.set(event.cause, now);
        say(WAITING[event.cause]?.(event.message) ?? `Waiting (${event.cause}): ${event.message}`);
        return;
      }
      if (event.paid) {
        counts.calls += 1;
        recent.push(performance.now());
        forgetOld(recent);
        const { input, output: written } = event.usage;
        counts.inputTokens += input ?? 0;
        counts.outputTokens += written ?? 0;
        if (input === undefined || written === undefined) counts.uncounted += 1;
        if (!event.good) counts.badAnswers += 1;
      } else {
        counts.fromJournal += 1;
      }
    },
    update(now) {
      if (status?.phase !== now.phase) start = closedBefore = undefined;
      status = now;
      // Not before: starting the engine, or building it, is no measure of what is left.
      start ??= performance.now();
      closedBefore ??= now.closed;
      if (now.misconfigured !== undefined && !lastSaid.has('misconfigured')) {
        lastSaid.set('misconfigured', performance.now());
        say(
          `The set-up is at fault, so nothing further is started; what is at work is waited for. (${now.misconfigured})`,
        );
      }
      if (terminal) {
        draw();
      } else if (!quiet && performance.now() - lastLine > 5_000) {
        const line = summary(now).join('; ');
        // What does not move, a model that is not there say, is told once a minute; what stands still as it was told to, once.
        if (line === said && (still !== undefined || performance.now() - lastLine < 60_000)) return;
        lastLine = performance.now();
        said = line;
        writeText(output, line);
      }
    },
    stands(why) {
      const now = performance.now();
      // What it takes is no matter of how long it stood still.
      if (why === undefined && still !== undefined && start !== undefined) start += now - still.since;
      still = why === undefined ? undefined : { why, since: still?.since ?? now };
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
  'rate-limit': (message) => `The model limits its rate; the calls are asked again as it says. (${message})`,
  unavailable: (message) => `The model is not available; it is asked again until it is. (${message})`,
  timeout: (message) => `The model took too long; it is asked again. (${message})`,
  connection: (message) => `The model cannot be reached; it is asked again until it can. (${message})`,
  unheard: (message) =>
    `The workflow ${message} has not answered for half a minute, and nothing is asked without it; it is asked again until it does. (Is the Temporal server well?)`,
  'disk-full': (message) =>
    `The disk is full: nothing new is asked, and the answers in flight are held. Make room, and the run goes on by itself. (${message})`,
  disk: (message) =>
    `An answer cannot be written: it is held, and nothing new is asked until it can. (${message})`,
};

function callsText(counts: Totals): string {
  const journal = counts.fromJournal > 0 ? `, ${counts.fromJournal} from the journal` : '';
  const tokens = `${short(counts.inputTokens)} tokens in, ${short(counts.outputTokens)} out`;
  return `calls ${counts.calls}${journal}, ${tokens}, bad answers ${counts.badAnswers}`;
}

/** Calls a second over the last half minute. */
function rate(recent: number[]): number {
  forgetOld(recent);
  const first = recent[0];
  return first === undefined ? 0 : recent.length / Math.max(1, (performance.now() - first) / 1_000);
}

// With every call, too: where nothing is shown, nobody asks for the rate.
function forgetOld(recent: number[]): void {
  const since = performance.now() - 30_000;
  while ((recent[0] ?? since) < since) recent.shift();
}

// By what was closed since this command began: the only unit whose number is known beforehand.
function timeLeft({ total, closed, open }: Status, before: number, start: number): string {
  if (total === undefined) return 'time left not known yet';
  const done = closed - before;
  const left = total - closed;
  if (left <= 0) return 'almost done';
  if (done <= 0) return open === 0 ? 'starting' : 'time left not known yet';
  const seconds = ((performance.now() - start) / 1_000 / done) * left;
  return seconds < 90 ? `about ${Math.ceil(seconds)} s left` : `about ${Math.ceil(seconds / 60)} min left`;
}

function short(count: number): string {
  if (count < 10_000) return String(count);
  return count < 10_000_000 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
