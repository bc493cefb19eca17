import type { JournalEntry } from '../schemas/journal';
import type { CallEstimate, Ledger, LedgerLine, LedgerRow } from '../schemas/ledger';
import { LEDGER_STEPS } from '../schemas/step';
import { TIERS, type Tier } from '../schemas/tier';
import type { Usage } from '../schemas/usage';

/** A call that was sent. */
export type SentCall = Omit<SentLine, 'at'>;
type SentLine = Extract<LedgerLine, { event: 'sent' }>;
type AnsweredCall = Extract<LedgerLine, { event: 'answered' }>;

/** Adds up one worker's calls, a line at a time; calls that are still in flight stand in no row. */
export class LedgerTally {
  readonly #rows = new Map<string, LedgerRow>();
  readonly #inFlight = new Map<number, SentCall>();

  /** @throws Error when it tells the fate of a call that is not in flight, or two calls have one number */
  add(line: SentCall | Exclude<LedgerLine, SentLine>): void {
    if (line.event === 'sent') {
      const known = this.#inFlight.get(line.call);
      if (known !== undefined && known.key !== line.key) {
        throw new Error(`call ${line.call} is both ${known.key} and ${line.key}`);
      }
      this.#inFlight.set(line.call, line);
      return;
    }
    const sent = this.#inFlight.get(line.call);
    if (sent === undefined) {
      throw new Error(`call ${line.call} has the event ${line.event}, but no such call was in flight`);
    }
    this.#inFlight.delete(line.call);
    if (line.event === 'answered') this.#count(sent, line);
    else this.#fail(sent, line.kind);
  }

  /** Those whose fate is not known, in the order they were sent. */
  inFlight(): IteratorObject<SentCall> {
    return this.#inFlight.values();
  }

  /** Ends a call whose worker died: by the answer it left in the journal, or as one that may be paid for, unheard. */
  settle(sent: SentCall, entry: JournalEntry | undefined): void {
    this.#inFlight.delete(sent.call);
    if (entry === undefined) {
      this.#lose(this.#rowOf(sent), sent.estimate);
      return;
    }
    const { finish, usage, tier } = entry.answer;
    // Whether it was a good one, the journal does not say.
    this.#count(sent, {
      verdict: finish === 'refused' ? 'refused' : 'good',
      usage,
      milliseconds: entry.milliseconds,
      ...(tier === undefined ? {} : { tier }),
    });
  }

  /** What all of it came to; later lines do not change what was returned. */
  rows(): Ledger {
    return sorted([...this.#rows.values()].map(copyOf));
  }

  #count(sent: SentCall, { verdict, usage, milliseconds, tier }: Omit<AnsweredCall, 'event' | 'call'>): void {
    const row = this.#rowOf(sent, tier);
    row.calls += 1;
    if (verdict === 'bad') row.bad += 1;
    if (verdict === 'refused') row.refused += 1;
    row.milliseconds += milliseconds;
    addUsage(row, usage);
    if (usage.input === undefined || usage.output === undefined) row.uncounted += 1;
    if (usage.input === undefined) row.assumed.input += sent.estimate.input;
    if (usage.output === undefined) row.assumed.output += sent.estimate.output;
  }

  #fail(sent: SentCall, kind: string): void {
    const row = this.#rowOf(sent);
    row.failed[kind] = (row.failed[kind] ?? 0) + 1;
    // The provider may have answered, and charged, after we stopped listening.
    if (kind === 'timeout') this.#lose(row, sent.estimate);
  }

  #lose(row: LedgerRow, estimate: CallEstimate): void {
    row.lost += 1;
    row.assumed.input += estimate.input;
    row.assumed.output += estimate.output;
  }

  /** @param served the tier that the response named */
  #rowOf({ spec, step, tier: asked }: SentCall, served: Tier | undefined = asked): LedgerRow {
    const place = { spec, step, ...(served === undefined || served === 'standard' ? {} : { tier: served }) };
    const name = nameOf(place);
    const row = this.#rows.get(name) ?? { ...place, ...nothing() };
    this.#rows.set(name, row);
    return row;
  }
}

/** One worker's lines, in the order they were written. They may be gone through twice: a long ledger is not kept in memory. */
export interface WorkerLines {
  readonly worker: string;
  readonly lines: Iterable<LedgerLine> | AsyncIterable<LedgerLine>;
}

/** What went through one worker. */
export interface WorkerLedger {
  readonly worker: string;
  readonly rows: Ledger;
  /** The calls of a living one that have no answer yet. */
  readonly inFlight: readonly SentCall[];
}

/**
 * The ledgers of a run's workers. What a dead worker had in flight counts by the answer in the journal, if that is its own,
 * and else as lost; what a living one has in flight is not counted yet.
 * @throws Error when a worker's lines contradict each other
 * @param living the workers whose calls in flight may still be answered
 * @param answerOf looks up the journal; asked only for calls whose fate has no line
 */
export async function settledLedgers(
  workers: Iterable<WorkerLines>,
  living: ReadonlySet<string>,
  answerOf: (key: string) => Promise<JournalEntry | undefined>,
): Promise<WorkerLedger[]> {
  const tallied: TalliedLines[] = [];
  for (const worker of workers) tallied.push(await tallyOf(worker));
  const dead = tallied.filter(({ worker }) => !living.has(worker));
  const claimed = await answeredAmong(keysInFlight(dead), tallied);
  // Where the living have an answer one day, they write the line themselves.
  for (const key of keysInFlight(tallied.filter(({ worker }) => living.has(worker)))) claimed.add(key);
  for (const { tally } of dead) {
    // A call is sent again only where the journal has no answer: an answer is the last one's that asked.
    for (const sent of [...tally.inFlight()].toReversed()) {
      const entry = claimed.has(sent.key) ? undefined : await answerOf(sent.key);
      if (entry !== undefined) claimed.add(sent.key);
      tally.settle(sent, entry);
    }
  }
  return tallied.map(({ worker, tally }) => ({
    worker,
    rows: tally.rows(),
    inFlight: [...tally.inFlight()],
  }));
}

interface TalliedLines extends WorkerLines {
  readonly tally: LedgerTally;
  /** How many lines there were: a worker that is at work adds to them. */
  readonly count: number;
}

async function tallyOf({ worker, lines }: WorkerLines): Promise<TalliedLines> {
  const tally = new LedgerTally();
  let count = 0;
  for await (const line of lines) {
    count += 1;
    try {
      tally.add(line);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new Error(
        `The ledger of worker ${worker} contradicts itself: ${what}. Restore its file in ledger/ from a copy, or delete the lines of that call.`,
        { cause: error },
      );
    }
  }
  return { worker, lines, tally, count };
}

function keysInFlight(tallied: readonly TalliedLines[]): Set<string> {
  return new Set(tallied.flatMap(({ tally }) => [...tally.inFlight()].map(({ key }) => key)));
}

/** Those of these keys whose answers have a line. Looked up by going through the lines again, since all keys are too many to remember. */
async function answeredAmong(
  keys: ReadonlySet<string>,
  tallied: readonly TalliedLines[],
): Promise<Set<string>> {
  const answered = new Set<string>();
  if (keys.size === 0) return answered;
  for (const { lines, count } of tallied) {
    const inFlight = new Map<number, string>();
    let left = count;
    for await (const line of lines) {
      if (left === 0) break;
      left -= 1;
      if (line.event === 'sent') {
        if (keys.has(line.key)) inFlight.set(line.call, line.key);
        continue;
      }
      const key = inFlight.get(line.call);
      inFlight.delete(line.call);
      if (key !== undefined && line.event === 'answered') answered.add(key);
    }
  }
  return answered;
}

/** One ledger out of many. */
export function mergeLedgers(ledgers: Iterable<Ledger>): Ledger {
  const rows = new Map<string, LedgerRow>();
  for (const ledger of ledgers) {
    for (const row of ledger) {
      const sum = rows.get(nameOf(row));
      if (sum === undefined) rows.set(nameOf(row), copyOf(row));
      else addTotals(sum, row);
    }
  }
  return sorted([...rows.values()]);
}

/** What calls came to, whatever their step, model and tier. */
export type LedgerTotals = Omit<LedgerRow, 'spec' | 'step' | 'tier'>;

/** The sums over some rows, such as those of one model. */
export function totalsOf(rows: Iterable<LedgerTotals>): LedgerTotals {
  const totals = nothing();
  for (const row of rows) addTotals(totals, row);
  return totals;
}

function addTotals(sum: LedgerTotals, more: LedgerTotals): void {
  sum.calls += more.calls;
  sum.bad += more.bad;
  sum.refused += more.refused;
  addUsage(sum, more);
  sum.uncounted += more.uncounted;
  sum.lost += more.lost;
  sum.assumed.input += more.assumed.input;
  sum.assumed.output += more.assumed.output;
  for (const [kind, count] of Object.entries(more.failed)) sum.failed[kind] = (sum.failed[kind] ?? 0) + count;
  sum.milliseconds += more.milliseconds;
}

function addUsage(sum: LedgerTotals, usage: Usage): void {
  sum.input += usage.input ?? 0;
  sum.output += usage.output ?? 0;
  // Absent while nobody reported any, so never begun at 0.
  for (const count of ['cachedRead', 'cachedWrite', 'reasoning'] as const) {
    const more = usage[count];
    if (more !== undefined) sum[count] = (sum[count] ?? 0) + more;
  }
}

function nothing(): LedgerTotals {
  return {
    calls: 0,
    bad: 0,
    refused: 0,
    input: 0,
    output: 0,
    uncounted: 0,
    lost: 0,
    assumed: { input: 0, output: 0 },
    failed: {},
    milliseconds: 0,
  };
}

function copyOf(row: LedgerRow): LedgerRow {
  return { ...row, assumed: { ...row.assumed }, failed: { ...row.failed } };
}

function nameOf({ spec, step, tier }: Pick<LedgerRow, 'spec' | 'step' | 'tier'>): string {
  return `${step} ${tier ?? 'standard'} ${spec}`;
}

/** By SPEC, then in the order in which the steps follow each other, then by tier. */
function sorted(rows: readonly LedgerRow[]): Ledger {
  return rows.toSorted((one, other) =>
    one.spec === other.spec ? placeOf(one) - placeOf(other) : one.spec < other.spec ? -1 : 1,
  );
}

function placeOf({ step, tier = 'standard' }: LedgerRow): number {
  return LEDGER_STEPS.indexOf(step) * TIERS.length + TIERS.indexOf(tier);
}
