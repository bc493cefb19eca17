import { ROLE_OF } from '../model-facts/roles';
import type { Ledger } from '../../schemas/run/ledger';
import type { ModelTable } from '../../schemas/model/model-table';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../../schemas/run/step';
import type { Tier } from '../../schemas/model/tier';
import { expectRemaining, type Band } from './expectation';
import type { Amount, RunShape } from './expected-tokens';
import { computeTotals, type LedgerTotals } from './ledger';
import { computeCost, computeExpected, findPrice } from './prices';
import type { RunAnswers } from './run-answers';

/** What a synthesis run took, and what it is still expected to take. */
export interface RunProjection {
  readonly rows: readonly ProjectedRow[];
  /** Sums of the rows; what models without a price cost is in none. */
  readonly spent: Expense;
  readonly left: Band<Expense>;
}

/** What one step of a run took of one model, and what it is still expected to take. */
export interface ProjectedRow {
  readonly step: SynthesisStep;
  /** The SPEC of the model that is asked. */
  readonly spec: string;
  /** Tokens that were assumed included: they are charged too. */
  readonly spent: Amount;
  readonly left: Band<Amount>;
  /** Absent for a model without a price. */
  readonly usd?: RowCost;
}

/** US dollars: what a step cost, and what it is expected to cost still. */
interface RowCost {
  readonly spent: number;
  readonly left: Band<number>;
}

/** Calls, their tokens and what they cost in US dollars. */
export type Expense = Amount & { readonly usd: number };

interface PriceTerms {
  readonly table: ModelTable;
  /** Of the calls that are left, by SPEC. */
  readonly tiers?: Readonly<Record<string, Tier>> | undefined;
  /** Whether the calls that plan personas go into batches, where their model has a price for these. */
  readonly batch?: boolean;
}

/** Projects a synthesis run to its end. `cupid synth --estimate`, `cupid status` and the progress of a run all show this. */
export function projectRun(
  shape: RunShape,
  answers: RunAnswers,
  ledger: Ledger,
  { table, tiers, batch = false }: PriceTerms,
): RunProjection {
  const left = expectRemaining(shape, answers, ledger);
  const rows = SYNTHESIS_STEPS.map((step) => {
    const spec = shape.settings.models[ROLE_OF[step]];
    const own = ledger.filter((row) => row.step === step && row.spec === spec);
    const spent = getAmount(computeTotals(own));
    return { step, spec, spent, left: mapBand(left, (bound) => bound[step]) };
  });
  const priced = [...rows, ...listOtherModels(rows, ledger)].map((row): ProjectedRow => {
    const isBatched = batch && ROLE_OF[row.step] === 'synthesis';
    const usd = computeRowCost(row, ledger, table, isBatched ? 'batch' : tiers?.[row.spec]);
    return usd === undefined ? row : { ...row, usd };
  });
  return {
    rows: priced,
    spent: sumExpenses(priced.map(({ spent, usd }) => ({ ...spent, usd: usd?.spent ?? 0 }))),
    left: {
      low: sumRemaining(priced, 'low'),
      likely: sumRemaining(priced, 'likely'),
      high: sumRemaining(priced, 'high'),
    },
  };
}

type UnpricedRow = Omit<ProjectedRow, 'usd'>;

function mapBand<T, R>({ low, likely, high }: Band<T>, map: (bound: T) => R): Band<R> {
  return { low: map(low), likely: map(likely), high: map(high) };
}

function sumRemaining(rows: readonly ProjectedRow[], bound: keyof Band<Amount>): Expense {
  return sumExpenses(rows.map(({ left, usd }) => ({ ...left[bound], usd: usd?.left[bound] ?? 0 })));
}

/** Sums of rows, or of what was spent and what is left. */
export function sumExpenses(expenses: Iterable<Expense>): Expense {
  let [calls, input, output, usd] = [0, 0, 0, 0];
  for (const expense of expenses) {
    calls += expense.calls;
    input += expense.input;
    output += expense.output;
    usd += expense.usd;
  }
  return { calls, input, output, usd };
}

/** What was asked of models that are not those of the settings, in work that was retried. */
function listOtherModels(rows: readonly UnpricedRow[], ledger: Ledger): UnpricedRow[] {
  const none = { calls: 0, input: 0, output: 0 };
  return SYNTHESIS_STEPS.flatMap((step) =>
    ledger
      .filter((row) => row.step === step && !rows.some((own) => own.step === step && own.spec === row.spec))
      .map((row) => ({
        step,
        spec: row.spec,
        spent: getAmount(row),
        left: { low: none, likely: none, high: none },
      })),
  );
}

/** What calls took, assumed tokens included: these are charged too. */
function getAmount({ calls, input, output, assumed }: LedgerTotals): Amount {
  return { calls, input: input + assumed.input, output: output + assumed.output };
}

/**
 * What a row of a projection costs; undefined for a model without a price. Cached tokens are unknown before they are read: where the
 * ledger has calls of the row's model and step, the rest is expected to come as much cheaper as these did.
 * @param tier that the calls which are left go to
 */
export function computeRowCost(
  row: UnpricedRow,
  ledger: Ledger,
  table: ModelTable,
  tier?: Tier,
): RowCost | undefined {
  if (findPrice(row.spec, table) === undefined) return undefined;
  const known = ledger.filter(({ step, spec }) => step === row.step && spec === row.spec);
  const spent = computeCost(known, table).usd;
  const uncached = known.reduce((sum, { input, output, assumed, ...call }) => {
    const tokens = { input: input + assumed.input, output: output + assumed.output };
    return sum + computeExpected(call, tokens, 'usd', table);
  }, 0);
  const part = uncached > 0 ? spent / uncached : 1;
  const cost = (amount: Amount) => computeExpected({ spec: row.spec, tier }, amount, 'usd', table) * part;
  return { spent, left: mapBand(row.left, cost) };
}

/** What a run took so far, what is left to ask, and both together. */
export interface Projection {
  /** Calls that are left. */
  readonly callsLeft: number;
  /** All calls of the run, those that were answered included. */
  readonly calls: number;
  /** US dollars of the whole run. */
  readonly usd: number;
  /** Absent while no call is answered. */
  readonly secondsLeft?: number;
}

interface UsageSoFar {
  readonly calls: number;
  readonly usd: number;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
}

export function computeProjection(
  usage: UsageSoFar,
  left: { readonly calls: number; readonly usd: number },
): Projection {
  return {
    callsLeft: Math.round(left.calls),
    calls: Math.round(usage.calls + left.calls),
    usd: usage.usd + left.usd,
    ...(usage.perMinute > 0 ? { secondsLeft: (left.calls / usage.perMinute) * 60 } : {}),
  };
}

/**
 * Projects an evaluation to its end: trials are alike, and those that are open are half done on average. Undefined before the first is
 * done: until then nothing says what one takes.
 */
export function projectTrials(
  { all, done, open }: { readonly all: number; readonly done: number; readonly open: number },
  usage: UsageSoFar,
): Projection | undefined {
  if (done === 0) return undefined;
  const part = Math.max(0, all / Math.min(all, done + open / 2) - 1);
  return computeProjection(usage, { calls: usage.calls * part, usd: usage.usd * part });
}
