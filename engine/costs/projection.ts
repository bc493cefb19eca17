import { omitUndefined } from '../../schemas/omit-undefined';
import { ROLE_OF } from '../model-facts/roles';
import type { Ledger } from '../../schemas/run/ledger';
import type { ModelTable } from '../../schemas/model/model-table';
import type { StepSettings } from '../../schemas/run/settings';
import {
  EVALUATION_STEPS,
  SYNTHESIS_STEPS,
  type EvaluationStep,
  type Step,
  type SynthesisStep,
} from '../../schemas/run/step';
import type { Tier } from '../../schemas/model/tier';
import { expectCalls, expectRemaining, type Band } from './expectation';
import type { Amount, RunShape } from './expected-tokens';
import { computeTotals, type LedgerTotals } from './ledger';
import { computeSecondsLeft } from './pace';
import { computeCost, computeExpected, findPrice } from './prices';
import type { RunAnswers } from './run-answers';

/** Amounts that a run has spent and is still expected to spend. */
export interface RunProjection<S extends Step = Step> {
  readonly rows: readonly ProjectedRow<S>[];
  /** Sums of the rows, without the costs of models that have no price. */
  readonly spent: Expense;
  readonly remaining: Band<Expense>;
}

/** Amounts that one step of a run has spent on one model and is still expected to spend. */
export interface ProjectedRow<S extends Step = Step> {
  readonly step: S;
  /** The SPEC of the model that is asked. */
  readonly spec: string;
  /** Includes estimated tokens, because they are charged too. */
  readonly spent: Amount;
  readonly remaining: Band<Amount>;
  /** Absent for a model without a price. */
  readonly usd?: RowCost;
}

/** US dollars: the cost of a step so far, and its expected remaining cost. */
interface RowCost {
  readonly spent: number;
  readonly remaining: Band<number>;
}

/** Calls, their tokens and their cost in US dollars. */
export type Expense = Amount & { readonly usd: number };

export interface PriceTerms {
  readonly table: ModelTable;
  /** Tiers of the remaining calls, by SPEC. */
  readonly tiers?: Readonly<Record<string, Tier>> | undefined;
  /** Whether planning calls, and calls of trials, go into batches, if their model has a price for these. */
  readonly batch?: boolean;
}

/** Projects a synthesis run to its end, for `cupid synth --estimate`, `cupid status` and the progress of a run. */
export function projectRun(
  shape: RunShape,
  answers: RunAnswers,
  ledger: Ledger,
  terms: PriceTerms,
): RunProjection<SynthesisStep> {
  const left = expectRemaining(shape, answers, ledger);
  const rows = SYNTHESIS_STEPS.map((step) => {
    const spec = shape.settings.models[ROLE_OF[step]];
    return {
      step,
      spec,
      spent: getAmount(computeTotals(listCallsOf(ledger, step, spec))),
      remaining: mapBand(left, (amounts) => amounts[step]),
    };
  });
  return priceRows(SYNTHESIS_STEPS, rows, ledger, terms);
}

/** Calls of one step and one model of an evaluation, with the tokens of their requests and of answers of usual length. */
export interface EvaluationCalls {
  readonly step: EvaluationStep;
  readonly spec: string;
  /** Calls that are left, if each is answered well. */
  readonly left: Amount;
  /** How many of these no answer can make needless. */
  readonly certain: number;
  /** The same of calls that are answered: compared with the ledger, they correct what is left. */
  readonly answered: Amount;
}

/** Projects an evaluation, or a verification, to its end, for `--estimate` and the line at its start. */
export function projectEvaluation(
  calls: readonly EvaluationCalls[],
  steps: Readonly<Record<EvaluationStep, Pick<StepSettings, 'maxRepairs' | 'maxTokens'>>>,
  ledger: Ledger,
  terms: PriceTerms,
): RunProjection<EvaluationStep> {
  const ordered = EVALUATION_STEPS.flatMap((step) => calls.filter((call) => call.step === step));
  const rows = ordered.map(({ step, spec, left, certain, answered }) => {
    const callRows = listCallsOf(ledger, step, spec);
    return {
      step,
      spec,
      spent: getAmount(computeTotals(callRows)),
      remaining: expectCalls(left, certain, answered, steps[step], callRows),
    };
  });
  return priceRows(EVALUATION_STEPS, rows, ledger, terms);
}

function listCallsOf(ledger: Ledger, step: Step, spec: string): Ledger {
  return ledger.filter((row) => row.step === step && row.spec === spec);
}

/** Adds the rows of other models, and prices, to the rows of a projection, and sums them. */
function priceRows<S extends Step>(
  steps: readonly S[],
  rows: readonly UnpricedRow<S>[],
  ledger: Ledger,
  { table, tiers, batch = false }: PriceTerms,
): RunProjection<S> {
  const priced = [...rows, ...listOtherModels(steps, rows, ledger)].map((row): ProjectedRow<S> => {
    const usd = computeRowCost(
      row,
      ledger,
      table,
      batch && !UNBATCHED.has(row.step) ? 'batch' : tiers?.[row.spec],
    );
    return usd === undefined ? row : { ...row, usd };
  });
  return {
    rows: priced,
    spent: sumExpenses(priced.map(({ spent, usd }) => ({ ...spent, usd: usd?.spent ?? 0 }))),
    remaining: {
      low: sumRemaining(priced, 'low'),
      likely: sumRemaining(priced, 'likely'),
      high: sumRemaining(priced, 'high'),
    },
  };
}

/** Steps of dialogues, whose turns follow one another, so that none goes into a batch. */
const UNBATCHED: ReadonlySet<Step> = new Set<Step>(['assistant', 'user']);

type UnpricedRow<S extends Step = Step> = Omit<ProjectedRow<S>, 'usd'>;

function mapBand<T, R>({ low, likely, high }: Band<T>, map: (value: T) => R): Band<R> {
  return { low: map(low), likely: map(likely), high: map(high) };
}

function sumRemaining(rows: readonly ProjectedRow[], level: keyof Band<Amount>): Expense {
  return sumExpenses(
    rows.map(({ remaining, usd }) => ({ ...remaining[level], usd: usd?.remaining[level] ?? 0 })),
  );
}

/** Adds up rows, or past and remaining expenses. */
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

/** Returns rows for models that are asked no more: retried work, or earlier commands, asked them. */
function listOtherModels<S extends Step>(
  steps: readonly S[],
  rows: readonly UnpricedRow<S>[],
  ledger: Ledger,
): UnpricedRow<S>[] {
  const none = { calls: 0, input: 0, output: 0 };
  return steps.flatMap((step) =>
    ledger
      .filter(
        (row) =>
          row.step === step &&
          !rows.some((listedRow) => listedRow.step === step && listedRow.spec === row.spec),
      )
      .map((row) => ({
        step,
        spec: row.spec,
        spent: getAmount(row),
        remaining: { low: none, likely: none, high: none },
      })),
  );
}

/** Returns the calls and tokens of ledger totals. Estimated tokens are included, because they are charged too. */
function getAmount({ calls, input, output, assumedTokens }: LedgerTotals): Amount {
  return { calls, input: input + assumedTokens.input, output: output + assumedTokens.output };
}

/**
 * Computes the cost of a row of a projection; undefined for a model without a price. The number of cached tokens cannot be known in advance. If
 * the ledger has calls of the row's model and step, the remaining calls are expected to be cheaper by the same ratio.
 * @param tier tier of the remaining calls
 */
export function computeRowCost(
  row: UnpricedRow,
  ledger: Ledger,
  table: ModelTable,
  tier?: Tier,
): RowCost | undefined {
  if (findPrice(row.spec, table) === undefined) return undefined;
  const rowLedger = ledger.filter(({ step, spec }) => step === row.step && spec === row.spec);
  const spentUsd = computeCost(rowLedger, table).usd;
  const uncached = rowLedger.reduce((sum, { input, output, assumedTokens, ...call }) => {
    const tokens = { input: input + assumedTokens.input, output: output + assumedTokens.output };
    return sum + computeExpected(call, tokens, 'usd', table);
  }, 0);
  const part = uncached > 0 ? spentUsd / uncached : 1;
  const cost = (amount: Amount) => computeExpected({ spec: row.spec, tier }, amount, 'usd', table) * part;
  return { spent: spentUsd, remaining: mapBand(row.remaining, cost) };
}

/** Calls and costs of a run so far and until its end. */
export interface Projection {
  /** Remaining calls. */
  readonly callsLeft: number;
  /** All calls of the run, answered ones included. */
  readonly calls: number;
  /** US dollars of the whole run. */
  readonly usd: number;
  /** Absent while the pace is not known, or no call is answered. */
  readonly secondsLeft?: number;
}

interface UsageSoFar {
  readonly calls: number;
  readonly usd: number;
  /** Calls answered per minute; absent while that is not known. */
  readonly perMinute?: number | undefined;
}

interface TrialUsage extends UsageSoFar {
  /** Bad answers, whose calls are made again. */
  readonly badAnswers: number;
}

export function computeProjection(
  usage: UsageSoFar,
  left: { readonly calls: number; readonly usd: number },
): Projection {
  return {
    callsLeft: Math.round(left.calls),
    calls: Math.round(usage.calls + left.calls),
    usd: usage.usd + left.usd,
    ...omitUndefined({ secondsLeft: computeSecondsLeft(left.calls, usage.perMinute) }),
  };
}

/** Computes the calls and costs of an evaluation's trials. A check is made once, for any number of trials. */
export function computeTrialUsage(
  ledger: Ledger,
  table: ModelTable,
): Pick<TrialUsage, 'calls' | 'badAnswers' | 'usd'> {
  const trials = ledger.filter(({ step }) => step !== 'check');
  const { calls, badAnswers } = computeTotals(trials);
  return { calls, badAnswers, usd: computeCost(trials, table).usd };
}

/**
 * Projects an evaluation to its end. Calls that belong to no finished trial were made in the open ones; if there are too many or too few of
 * them, as after a retry, open trials count as half done. Undefined before the first call, because costs are unknown then.
 * @param trials with the mean number of calls of a trial, known from its script
 */
export function projectTrials(
  trials: { readonly all: number; readonly done: number; readonly open: number; readonly callsEach: number },
  usage: TrialUsage,
): Projection | undefined {
  const { all, done, open, callsEach } = trials;
  if (usage.calls === 0) return undefined;
  const inOpen = usage.calls - usage.badAnswers - done * callsEach;
  const isLikely = inOpen >= 0 && inOpen <= open * callsEach;
  const openCalls = isLikely ? inOpen : (open * callsEach) / 2;
  return projectCalls(Math.max(0, (all - done) * callsEach - openCalls), usage);
}

/** Projects a known number of calls at the cost of those before; undefined before the first. */
export function projectCalls(calls: number, usage: TrialUsage): Projection | undefined {
  return usage.calls === 0
    ? undefined
    : computeProjection(usage, { calls, usd: (usage.usd / usage.calls) * calls });
}
