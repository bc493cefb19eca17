import type { CardCosts, CostRow } from '../../../data/card/costs';
import { LedgerError } from '../../../data/run/ledger';
import { buildModelTable } from '../../../data/model-table';
import { readSteering } from '../../../data/run/steering';
import { mergeLedgers, mergeWorkerLedgers, computeTotals } from '../../../engine/costs/ledger';
import { ROLE_OF } from '../../../engine/model-facts/roles';
import { findEntry } from '../../../engine/model-facts/facts';
import { computeCost, findOldestPriceDate } from '../../../engine/costs/prices';
import type { Ledger } from '../../../schemas/run/ledger';
import { formatModelName, parseModelSpec } from '../../../schemas/model/model-spec';
import type { ModelTable } from '../../../schemas/model/model-table';
import { SYNTHESIS_STEPS } from '../../../schemas/run/step';
import { MODEL_ROLES } from '../../../schemas/model/model-role';
import { settleRun } from '../../settle-run';
import type { SynthesisFiles, SynthesisWorld } from '../inputs';

/**
 * Computes the usage and cost of a run so far, by part and model, at the run's prices. A call with an unknown end counts as its estimate.
 * Undefined if the ledger is damaged, because data sets do not wait for its repair.
 */
export async function countCosts(
  run: Pick<SynthesisFiles, 'store' | 'journal'>,
  ownLedger: Pick<SynthesisWorld['ledger'], 'worker' | 'rows'>,
): Promise<CardCosts | undefined> {
  const ledger = await readRunLedger(run, ownLedger);
  if (ledger === undefined) return undefined;
  const table = buildModelTable(await readSteering(run.store));
  return {
    rows: [...MODEL_ROLES, 'check' as const].flatMap((part) => buildCostRows(part, ledger, table)),
    usd: computeUsd(ledger, table),
    pricesCheckedOn: findOldestPriceDate(
      ledger.map(({ spec }) => spec),
      table,
    ),
  };
}

/** Reads the ledgers of other processes; this one's is in memory. */
async function readRunLedger(
  run: Pick<SynthesisFiles, 'store' | 'journal'>,
  ownLedger: Pick<SynthesisWorld['ledger'], 'worker' | 'rows'>,
): Promise<Ledger | undefined> {
  try {
    const otherLedgers = await settleRun(run, [], ownLedger.worker);
    return mergeLedgers([mergeWorkerLedgers(otherLedgers), ownLedger.rows()]);
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}

function buildCostRows(part: CostRow['part'], ledger: Ledger, table: ModelTable): CostRow[] {
  const steps = new Set<string>(
    part === 'check' ? [part] : SYNTHESIS_STEPS.filter((step) => ROLE_OF[step] === part),
  );
  const rows = ledger.filter(({ step }) => steps.has(step));
  const models = [...new Set(rows.map(({ spec }) => formatModelName(spec)))];
  return models.map((model) => {
    const modelRows = rows.filter(({ spec }) => formatModelName(spec) === model);
    const totals = computeTotals(modelRows);
    const { calls, badAnswers, refusals, input, output, assumedTokens, uncountedCalls, lostCalls } = totals;
    return {
      part,
      model,
      calls,
      bad: badAnswers + refusals,
      separated: totals.separatedAnswers ?? 0,
      trimmed: totals.trimmedAnswers ?? 0,
      input: input + assumedTokens.input,
      output: output + assumedTokens.output,
      estimated: uncountedCalls + lostCalls,
      usd: computeUsd(modelRows, table),
    };
  });
}

function computeUsd(ledger: Ledger, table: ModelTable): number | undefined {
  const { usd, unpricedModels } = computeCost(ledger, table);
  const isKnown = unpricedModels.length === 0 && ledger.every(({ spec }) => !isUntold(spec, table));
  return isKnown ? usd : undefined;
}

/** Returns whether a model's cost is unknown and must not be reported as zero: only the author of a module knows its calls and prices. */
function isUntold(spec: string, table: ModelTable): boolean {
  return parseModelSpec(spec).provider === 'module' && findEntry(spec, 'prices', table) === undefined;
}
