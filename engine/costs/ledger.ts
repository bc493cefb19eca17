import { omitUndefined } from '../../schemas/omit-undefined';
import { countSeparations } from '../journal/separations';
import type { Batch, BatchCall } from '../../schemas/run/batch';
import type { JournalEntry } from '../../schemas/run/journal';
import type { Ledger, LedgerLine, LedgerRow, SentLine } from '../../schemas/run/ledger';
import { LEDGER_STEPS } from '../../schemas/run/step';
import type { ModelErrorKind } from '../../schemas/model/error-kind';
import { TIERS } from '../../schemas/model/tier';

type LineOf<Event> = Extract<LedgerLine, { event: Event }>;

type EndLine = LineOf<'answered'> | LineOf<'failed'> | { readonly event: 'lost'; readonly call: number };

/** Adds up one worker's calls, line by line; calls in flight are in no row. */
export class LedgerTally {
  readonly #rows = new Map<string, LedgerRow>();
  readonly #inFlight = new Map<number, SentLine>();

  constructor(private readonly worker: string) {}

  /**
   * @returns the row of the call that the line ends
   * @throws Error when a call ends that is not in flight, or two calls have one number
   */
  add(line: EndLine): LedgerRow;
  add(line: SentLine | EndLine): LedgerRow | undefined;
  add(line: SentLine | EndLine): LedgerRow | undefined {
    const { event, call } = line;
    const sent = this.#inFlight.get(call);
    if (event === 'sent') {
      if (sent !== undefined && sent.key !== line.key)
        throw this.#contradiction(`call ${call} is both ${sent.key} and ${line.key}`);
      this.#inFlight.set(call, line);
      return undefined;
    }
    if (sent === undefined)
      throw this.#contradiction(`call ${call} has the event ${event}, but no such call was in flight`);
    this.#inFlight.delete(call);
    const row = buildLedgerRow(sent, line);
    addRow(this.#rows, row);
    return row;
  }

  /** Returns the calls that have not ended, in the order they were sent. */
  inFlight(): IteratorObject<SentLine> {
    return this.#inFlight.values();
  }

  /** Returns the totals so far; later lines do not change the returned value. */
  rows(): Ledger {
    return sortLedgerRows(this.#rows);
  }

  #contradiction(problem: string): Error {
    return new Error(
      `The ledger of worker ${this.worker} contradicts itself: ${problem}. Restore its file in ledger/ from a copy, or delete the lines of that call.`,
    );
  }
}

export function buildSentLines(
  { spec, step }: Pick<Batch, 'spec' | 'step'>,
  calls: readonly Pick<BatchCall, 'number' | 'key' | 'estimate'>[],
  sentAtMs: number,
): LineOf<'sent'>[] {
  return calls.map(({ number, key, estimate }) => ({
    event: 'sent',
    call: number,
    key,
    spec,
    step,
    tier: 'batch',
    sentAtMs,
    estimate,
  }));
}

/** Returns the lines of a batch's calls that all got no answer. */
export function buildFailedLines(
  batch: Pick<Batch, 'spec' | 'step'>,
  calls: readonly BatchCall[],
  sentAtMs: number,
  kind: string,
): LedgerLine[] {
  const failed = calls.map(({ number: call }): LedgerLine => ({ event: 'failed', call, kind }));
  return [...buildSentLines(batch, calls, sentAtMs), ...failed];
}

/**
 * Returns the lines of duplicates of a batch that the provider made. Their call numbers follow the batch's own. They were cancelled, but the
 * provider may have answered and charged some calls before.
 */
export function buildDuplicateLines(
  batch: Pick<Batch, 'spec' | 'step' | 'duplicates'>,
  calls: readonly BatchCall[],
  sentAtMs: number,
): LedgerLine[] {
  return (batch.duplicates ?? []).flatMap((_, index) => {
    const again = calls.map((call) => ({ ...call, number: call.number + calls.length * (index + 1) }));
    return buildFailedLines(batch, again, sentAtMs, DUPLICATE);
  });
}

const DUPLICATE = 'duplicate';

/**
 * Adds up the lines of one worker's ledger.
 * @param worker name of the worker, for errors
 */
export function tallyLines(worker: string, lines: Iterable<LedgerLine>): Ledger {
  const tally = new LedgerTally(worker);
  for (const line of lines) tally.add(line);
  return tally.rows();
}

export function buildAnsweredLine(
  { call, step, tier: askedTier = 'standard' }: SentLine,
  { answer, durationMs }: Pick<JournalEntry, 'answer' | 'durationMs'>,
  verdict: LineOf<'answered'>['verdict'],
): LineOf<'answered'> {
  const { usage, tier = 'standard' } = answer;
  const servedTier = tier === askedTier ? {} : { tier };
  return {
    event: 'answered',
    call,
    verdict,
    usage,
    durationMs,
    ...servedTier,
    ...countSeparations(step, answer),
  };
}

/** Returns the name of a ledger call in the journal. */
export function buildLedgerCallName(worker: string, call: number): string {
  return `${worker}/${call}`;
}

export interface WorkerLedger {
  readonly worker: string;
  readonly rows: Ledger;
  /** Unanswered calls of a living worker or of a batch. */
  readonly inFlight: readonly SentLine[];
}

/**
 * Adds up the ledgers of a run's workers. A call that a dead worker had in flight counts by its answer in the journal, or as lost if that came
 * from another call. Calls in flight at living workers are not counted yet.
 * @throws Error when a worker's lines contradict each other
 * @param workers their lines, in the order they were written
 * @param living the workers whose calls in flight may still be answered
 * @param answerOf looks a call up in the journal; called only for calls without an ending line
 */
export async function settleLedgers(
  workers: Iterable<{ readonly worker: string; readonly lines: Lines }>,
  living: readonly string[] | 'all',
  answerOf: (key: string) => Promise<JournalEntry | undefined>,
): Promise<WorkerLedger[]> {
  const ledgers: WorkerLedger[] = [];
  for (const { worker, lines } of workers) {
    const tally = new LedgerTally(worker);
    for await (const line of lines) tally.add(line);
    const isLiving = living === 'all' || living.includes(worker);
    for (const sent of isLiving ? [] : [...tally.inFlight()]) {
      const entry = await answerOf(sent.key);
      // The journal does not say whether the answer was good.
      if (entry?.ledgerCall === buildLedgerCallName(worker, sent.call))
        tally.add(buildAnsweredLine(sent, entry, entry.answer.finish === 'refused' ? 'refused' : 'good'));
      // A batch outlives the process that sent it.
      else if (sent.tier !== 'batch') tally.add({ event: 'lost', call: sent.call });
    }
    ledgers.push({ worker, rows: tally.rows(), inFlight: [...tally.inFlight()] });
  }
  return ledgers;
}

type Lines = Iterable<LedgerLine> | AsyncIterable<LedgerLine>;

/** Adds up the ledgers of all workers. */
export function mergeWorkerLedgers(ledgers: readonly WorkerLedger[]): Ledger {
  return mergeLedgers(ledgers.map(({ rows }) => rows));
}

export function mergeLedgers(ledgers: Iterable<Ledger>): Ledger {
  const rows = new Map<string, LedgerRow>();
  for (const ledger of ledgers) for (const row of ledger) addRow(rows, row);
  return sortLedgerRows(rows);
}

/** Totals of calls, over all steps, models and tiers. */
export type LedgerTotals = Omit<LedgerRow, 'spec' | 'step' | 'tier'>;

/** Adds up rows, such as those of one model. */
export function computeTotals(rows: Iterable<LedgerTotals>): LedgerTotals {
  const totals: LedgerTotals = { ...NOTHING, assumedTokens: { ...NOTHING.assumedTokens }, failures: {} };
  for (const row of rows) {
    for (const count of COUNTS) totals[count] += row[count];
    for (const count of REPORTED_BY_SOME) {
      const amount = row[count];
      if (amount !== undefined) totals[count] = (totals[count] ?? 0) + amount;
    }
    totals.assumedTokens.input += row.assumedTokens.input;
    totals.assumedTokens.output += row.assumedTokens.output;
    for (const [kind, count] of Object.entries(row.failures))
      totals.failures[kind] = (totals.failures[kind] ?? 0) + count;
  }
  return totals;
}

const COUNTS = [
  'calls',
  'badAnswers',
  'refusals',
  'input',
  'output',
  'uncountedCalls',
  'lostCalls',
  'durationMs',
] as const;
const REPORTED_BY_SOME = [
  'cachedRead',
  'cachedWrite',
  'reasoning',
  'separatedAnswers',
  'trimmedAnswers',
] as const;

const NOTHING: LedgerTotals = {
  calls: 0,
  badAnswers: 0,
  refusals: 0,
  input: 0,
  output: 0,
  uncountedCalls: 0,
  lostCalls: 0,
  assumedTokens: { input: 0, output: 0 },
  failures: {},
  durationMs: 0,
};

function buildLedgerRow(
  { spec, step, tier: askedTier = 'standard', estimate }: SentLine,
  end: EndLine,
): LedgerRow {
  const tier = end.event === 'answered' ? (end.tier ?? askedTier) : askedTier;
  const row = { ...NOTHING, spec, step, ...(tier === 'standard' ? {} : { tier }) };
  if (end.event !== 'answered') {
    const failures = end.event === 'failed' ? { [end.kind]: 1 } : {};
    const usage = end.event === 'lost' ? {} : (end.usage ?? (MAYBE_CHARGED.has(end.kind) ? {} : undefined));
    if (usage === undefined) return { ...row, failures };
    const { input = estimate.input, output = estimate.output } = usage;
    return { ...row, failures, lostCalls: 1, assumedTokens: { input, output } };
  }
  const { verdict, usage, durationMs, separated, trimmed } = end;
  const isCounted = usage.input !== undefined && usage.output !== undefined;
  return {
    ...row,
    calls: 1,
    badAnswers: verdict === 'bad' ? 1 : 0,
    refusals: verdict === 'refused' ? 1 : 0,
    ...usage,
    ...omitUndefined({ separatedAnswers: separated && 1, trimmedAnswers: trimmed && 1 }),
    input: usage.input ?? 0,
    output: usage.output ?? 0,
    uncountedCalls: isCounted ? 0 : 1,
    assumedTokens: {
      input: usage.input === undefined ? estimate.input : 0,
      output: usage.output === undefined ? estimate.output : 0,
    },
    durationMs,
  };
}

/** Failures that may be charged although nothing says so: after a time-out, too, the provider may have answered. */
const MAYBE_CHARGED: ReadonlySet<string> = new Set<ModelErrorKind | typeof DUPLICATE>([
  'timeout',
  'invalid-response',
  'window-exceeded',
  DUPLICATE,
]);

function addRow(rows: Map<string, LedgerRow>, row: LedgerRow): void {
  const place = `${row.step} ${row.tier ?? 'standard'} ${row.spec}`;
  const sum = rows.get(place);
  rows.set(place, sum === undefined ? row : { ...sum, ...computeTotals([sum, row]) });
}

/** Sorts by SPEC, then by order of the steps, then by tier. */
function sortLedgerRows(rows: ReadonlyMap<string, LedgerRow>): Ledger {
  return [...rows.values()].toSorted((a, b) =>
    a.spec === b.spec ? computePlace(a) - computePlace(b) : a.spec < b.spec ? -1 : 1,
  );
}

function computePlace({ step, tier = 'standard' }: LedgerRow): number {
  return LEDGER_STEPS.indexOf(step) * TIERS.length + TIERS.indexOf(tier);
}

/** Returns the tokens of these answers; null if those of one are unknown, because the sum would be wrong. */
export function sumAnswerTokens(entries: readonly JournalEntry[], kind: 'input' | 'output'): number | null {
  let sum = 0;
  for (const { answer } of entries) {
    const tokens = answer.usage[kind];
    if (tokens === undefined) return null;
    sum += tokens;
  }
  return sum;
}
