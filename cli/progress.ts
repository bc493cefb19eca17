import type { RunProgress } from '../client/drive';
import type { Step } from '../schemas/step';
import type { WorldEvent } from '../workers/world';

/** Shows how far a run is: redrawn in place on a terminal, a line every few seconds elsewhere. */
export interface ProgressView extends AsyncDisposable {
  readonly observe: (event: WorldEvent) => void;
  readonly update: (progress: RunProgress) => void;
  /** A line that stays. */
  readonly say: (line: string) => void;
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

export function progressView(output: NodeJS.WriteStream, quiet: boolean): ProgressView {
  const terminal = output.isTTY && !quiet;
  const counts = { calls: 0, fromJournal: 0, badAnswers: 0, inputTokens: 0, outputTokens: 0, uncounted: 0 };
  const stages = new Map<number, { step: Step; turns: number }>();
  const recent: number[] = [];
  const lastSaid = new Map<string, number>();
  let start: number | undefined;
  let run: RunProgress | undefined;
  let closedBefore: number | undefined;
  let drawn = 0;
  let lastLine = 0;

  const erase = () => {
    // From the first column: the terminal itself writes ^C wherever the cursor is.
    if (drawn > 0) output.write(`\r\u001B[${drawn}A\u001B[J`);
    drawn = 0;
  };
  const say = (line: string) => {
    if (quiet) return;
    erase();
    output.write(`${line}\n`);
    draw();
  };
  const draw = () => {
    if (!terminal || run === undefined) return;
    erase();
    const lines = [
      ...summary(run, counts, rate(recent), timeLeft(run, closedBefore ?? 0, start ?? performance.now())),
      ...atWork(run, stages, output.columns || 80),
    ];
    output.write(
      lines.map((line) => `${line.slice(0, Math.max(20, (output.columns || 80) - 1))}\n`).join(''),
    );
    drawn = lines.length;
  };

  return {
    say,
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
        const { input, output: written } = event.usage;
        counts.inputTokens += input ?? 0;
        counts.outputTokens += written ?? 0;
        if (input === undefined || written === undefined) counts.uncounted += 1;
        if (!event.good) counts.badAnswers += 1;
      } else {
        counts.fromJournal += 1;
      }
      const persona = Number(/\/p(\d+)/.exec(event.workflowId)?.[1] ?? Number.NaN);
      if (!Number.isNaN(persona)) {
        const turns = (stages.get(persona)?.turns ?? 0) + (event.step === 'user' ? 1 : 0);
        stages.set(persona, { step: event.step, turns });
      }
    },
    update(progress) {
      run = progress;
      // Not before: starting the engine, or building it, is no measure of what is left.
      start ??= performance.now();
      closedBefore ??= progress.finished + progress.failed;
      if (progress.misconfigured !== undefined && !lastSaid.has('misconfigured')) {
        lastSaid.set('misconfigured', performance.now());
        say(
          `The set-up is at fault, so no further persona is started; those at work are waited for. (${progress.misconfigured})`,
        );
      }
      if (terminal) {
        draw();
      } else if (!quiet && performance.now() - lastLine > 5_000) {
        lastLine = performance.now();
        output.write(
          `${summary(run, counts, rate(recent), timeLeft(run, closedBefore ?? 0, start ?? performance.now())).join('; ')}\n`,
        );
      }
    },
    hide() {
      erase();
      run = undefined;
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
  'disk-full': (message) =>
    `The disk is full: nothing new is asked, and the answers in flight are held. Make room, and the run goes on by itself. (${message})`,
  disk: (message) =>
    `An answer cannot be written: it is held, and nothing new is asked until it can. (${message})`,
};

const STAGES: Readonly<Record<Step, string>> = {
  describe: 'description',
  factors: 'context factors',
  journey: 'journey',
  checklist: 'checklists',
  assistant: 'dialogues',
  user: 'dialogues',
};

function summary(run: RunProgress, counts: Totals, perSecond: number, left: string): string[] {
  const { personas, finished, failed, open, building } = run;
  const journal = counts.fromJournal > 0 ? `, ${counts.fromJournal} from the journal` : '';
  const tokens = `${short(counts.inputTokens)} tokens in, ${short(counts.outputTokens)} out`;
  return [
    `personas ${finished} of ${personas} done, ${failed} failed, ${open.length} at work${building ? ', writing data sets' : ''}`,
    `calls ${counts.calls}${journal}, ${tokens}, bad answers ${counts.badAnswers}, ${perSecond.toFixed(1)} calls/s, ${left}`,
  ];
}

/** The personas at work by stage; as many as fit. */
function atWork(
  { open }: RunProgress,
  stages: ReadonlyMap<number, { step: Step; turns: number }>,
  columns: number,
): string[] {
  const shown = open.slice(0, 8).map((persona) => {
    const stage = stages.get(persona);
    if (stage === undefined) return `  persona ${persona}: starting`;
    const turns = stage.turns > 0 ? `, ${stage.turns} turn${stage.turns === 1 ? '' : 's'}` : '';
    return `  persona ${persona}: ${STAGES[stage.step]}${turns}`.slice(0, columns);
  });
  return open.length > 8 ? [...shown, `  and ${open.length - 8} more`] : shown;
}

/** Calls a second over the last half minute. */
function rate(recent: number[]): number {
  const now = performance.now();
  while ((recent[0] ?? now) < now - 30_000) recent.shift();
  const first = recent[0];
  return first === undefined ? 0 : recent.length / Math.max(1, (now - first) / 1_000);
}

// By personas closed since this command began: the only unit whose number is known beforehand.
function timeLeft({ personas, finished, failed, open }: RunProgress, before: number, start: number): string {
  const closed = finished + failed - before;
  const left = personas - finished - failed;
  if (left === 0) return 'almost done';
  if (closed === 0) return open.length === 0 ? 'starting' : 'time left not known yet';
  const seconds = ((performance.now() - start) / 1_000 / closed) * left;
  return seconds < 90 ? `about ${Math.ceil(seconds)} s left` : `about ${Math.ceil(seconds / 60)} min left`;
}

function short(count: number): string {
  if (count < 10_000) return String(count);
  return count < 10_000_000 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
