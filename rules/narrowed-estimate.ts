import type { Ledger } from '../schemas/ledger';
import type { KeptPersona } from '../schemas/record';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../schemas/step';
import { totalsOf, type LedgerTotals } from './ledger';
import { distinctPreferences } from './preferences';
import { sumOf, type Amount, type EstimateRow } from './run-estimate';

/** What a finished persona took, its description left out: that belongs to a batch. */
export interface FinishedPersona {
  /** Bad answers included. */
  readonly calls: number;
  /** Unknown when any call reported none. */
  readonly input: number | null;
  readonly output: number | null;
  /** Calls whose answers were taken. */
  readonly taken: Readonly<Record<PersonaStep, number>>;
}

type PersonaStep = Exclude<SynthesisStep, 'describe'>;

export function finishedPersona({
  record,
  calls,
  input_tokens,
  output_tokens,
}: KeptPersona): FinishedPersona {
  const messages = record.interactions.flatMap(({ chat }) => chat);
  const fromUser = messages.filter(({ role }) => role === 'user').length;
  return {
    calls,
    input: input_tokens,
    output: output_tokens,
    taken: {
      factors: 1,
      journey: 1,
      checklist: distinctPreferences(record.sessions).length,
      assistant: messages.length - fromUser,
      // The opening message is the session's, not the simulator's.
      user: fromUser - record.interactions.length,
    },
  };
}

/**
 * A run's estimate by what it took so far: what the finished personas took, and for the others something between that and what was
 * expected before, the nearer to it the more are finished. The band follows from how much they differ and how many are left.
 * Nothing is less than the ledger has already.
 */
export function narrowedEstimate(
  estimate: readonly EstimateRow[],
  nPersonas: number,
  finished: readonly FinishedPersona[],
  ledger: Ledger,
): EstimateRow[] {
  const known = finished.length === 0 ? estimate : byFinished(estimate, nPersonas, finished, ledger);
  return [...known.map((row) => atLeast(row, ledger)), ...otherModels(estimate, ledger)];
}

function byFinished(
  estimate: readonly EstimateRow[],
  nPersonas: number,
  finished: readonly FinishedPersona[],
  ledger: Ledger,
): EstimateRow[] {
  const amounts = estimate.map((row) => withTokens(callsOf(row, nPersonas, finished), row, ledger));
  const ofPersonas = estimate.filter(({ step }) => step !== 'describe');
  const totals = totalsFor(ofPersonas, nPersonas, finished);
  const sums = sumOf(amounts.filter((_, at) => estimate[at]?.step !== 'describe'));
  // Together the steps of a persona take what is expected of it: in the ledger the open dialogues are at their early turns.
  const times = {
    calls: ratio(totals.calls.likely, sums.calls),
    input: totals.input === undefined ? 1 : ratio(totals.input.likely, sums.input),
    output: totals.output === undefined ? 1 : ratio(totals.output.likely, sums.output),
  };
  return estimate.map((row, at) => {
    const amount = amounts[at] ?? row.likely;
    if (row.step === 'describe') return { ...row, likely: amount, ...describeBounds(row, amount) };
    const bound = (sign: number): Amount => ({
      calls: amount.calls * times.calls * (1 + sign * totals.calls.part),
      input: amount.input * times.input * (1 + sign * (totals.input ?? totals.calls).part),
      output: amount.output * times.output * (1 + sign * (totals.output ?? totals.calls).part),
    });
    return { ...row, low: bound(-1), likely: bound(0), high: bound(1) };
  });
}

/** How many calls of a step the run has if all personas are like the finished ones, bad answers spread over all steps. */
function callsOf(
  { step, likely }: EstimateRow,
  nPersonas: number,
  finished: readonly FinishedPersona[],
): number {
  if (step === 'describe') return likely.calls;
  const all = sum(finished.map(({ calls }) => calls));
  const taken = sum(finished.flatMap((persona) => Object.values(persona.taken)));
  const ofStep = sum(finished.map((persona) => persona.taken[step]));
  return (ofStep / finished.length) * ratio(all, taken) * nPersonas;
}

/** So many calls, with the mean tokens of those that the ledger has, or, where it has none, of those that were expected. */
function withTokens(calls: number, { step, likely }: EstimateRow, ledger: Ledger): Amount {
  const spent = totalsOf(ledger.filter((row) => row.step === step));
  const counted = spent.calls - spent.uncounted;
  const mean = counted > 0 ? { ...spent, calls: counted } : likely;
  const times = mean.calls === 0 ? 0 : calls / mean.calls;
  return { calls, input: mean.input * times, output: mean.output * times };
}

/** A sum over all personas, and by what part of it the bounds differ from it. */
interface Total {
  readonly likely: number;
  readonly part: number;
}

/** Without tokens that not every call reported: a sum that lacks some would be too small. */
function totalsFor(
  rows: readonly EstimateRow[],
  nPersonas: number,
  finished: readonly FinishedPersona[],
): { calls: Total; input: Total | undefined; output: Total | undefined } {
  const before = {
    low: sumOf(rows.map(({ low }) => low)),
    likely: sumOf(rows.map(({ likely }) => likely)),
    high: sumOf(rows.map(({ high }) => high)),
  };
  const total = (field: keyof Amount, values: readonly number[]) =>
    totalFor(values, nPersonas, {
      mean: before.likely[field] / nPersonas,
      // Bounds are two standard errors away on either side.
      error: (before.high[field] - before.low[field]) / 4 / nPersonas,
    });
  const known = (field: 'input' | 'output') => {
    const values = finished.map((persona) => persona[field]).filter((value) => value !== null);
    return values.length === finished.length ? total(field, values) : undefined;
  };
  return {
    calls: total(
      'calls',
      finished.map(({ calls }) => calls),
    ),
    input: known('input'),
    output: known('output'),
  };
}

/**
 * The sum over all personas from those that are finished, and from what one was expected to take. Few personas tell little of how
 * they differ, so two more are assumed that differ by a third.
 */
function totalFor(
  values: readonly number[],
  nPersonas: number,
  before: { readonly mean: number; readonly error: number },
): Total {
  const count = values.length;
  const left = Math.max(0, nPersonas - count);
  const mean = sum(values) / count;
  const squares = sum(values.map((value) => (value - mean) ** 2)) + 2 * (mean / 3) ** 2;
  const variance = squares / (count - 1 + 2);
  const ofMean = variance / count;
  // Two measurements of the same mean, each with its error: the usual weights.
  const weight = ratio(before.error ** 2, before.error ** 2 + ofMean);
  const expected = before.mean + weight * (mean - before.mean);
  const likely = sum(values) + left * expected;
  const error = Math.sqrt(left ** 2 * weight * ofMean + left * variance);
  return { likely, part: Math.min(1, likely === 0 ? 0 : (2 * error) / likely) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** 1 where there is nothing to compare. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/** Batches are alike, so what is left to differ is how many are asked again. */
function describeBounds({ low, high }: EstimateRow, likely: Amount): Pick<EstimateRow, 'low' | 'high'> {
  const at = (calls: number): Amount => {
    const times = likely.calls === 0 ? 0 : calls / likely.calls;
    return { calls, input: likely.input * times, output: likely.output * times };
  };
  return { low: at(low.calls), high: at(high.calls) };
}

/** No bound is below what the model of the row took in this step already; all in whole numbers. */
function atLeast(row: EstimateRow, ledger: Ledger): EstimateRow {
  const own = amountOf(totalsOf(ledger.filter(({ step, spec }) => step === row.step && spec === row.spec)));
  const bounded = ({ calls, input, output }: Amount): Amount => ({
    calls: Math.round(Math.max(calls, own.calls)),
    input: Math.round(Math.max(input, own.input)),
    output: Math.round(Math.max(output, own.output)),
  });
  return { ...row, low: bounded(row.low), likely: bounded(row.likely), high: bounded(row.high) };
}

/** What was asked of models that are not those of the settings, in work that was retried. */
function otherModels(estimate: readonly EstimateRow[], ledger: Ledger): EstimateRow[] {
  return SYNTHESIS_STEPS.flatMap((step) =>
    ledger
      .filter(
        (row) => row.step === step && !estimate.some((own) => own.step === step && own.spec === row.spec),
      )
      .map((row) => {
        const spent = amountOf(row);
        return { step, spec: row.spec, low: spent, likely: spent, high: spent };
      }),
  );
}

/** What calls took, assumed tokens included: these are charged too. */
function amountOf({ calls, input, output, assumed }: LedgerTotals): Amount {
  return { calls, input: input + assumed.input, output: output + assumed.output };
}
