import { openJournal } from '../../data/run/journal';
import { createAnswerLookup, readLedgerLines } from '../../data/run/ledger';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { openRunStore } from '../../data/store/open-store';
import { mergeLedgers, mergeWorkerLedgers, settleLedgers } from '../../engine/costs/ledger';
import { computeCost } from '../../engine/costs/prices';
import { parseJournalKey, parseTrialContext } from '../../engine/journal/key';
import { formatResultName } from '../../rules/trials/rows';
import type { Task } from '../../schemas/evaluation/evaluation';
import type { ModelTable } from '../../schemas/model/model-table';
import type { Ledger, LedgerLine } from '../../schemas/run/ledger';
import type { EvaluationStep } from '../../schemas/run/step';
import { formatCost } from '../../schemas/text/amount-text';
import { buildCostTable } from '../../runs/tables/usage';
import type { ResultCell } from '../../schemas/evaluation/results';
import { type Quantity, type Table, toQuantity } from '../../schemas/text/table';

/** Ledger of a folder: calls by the context of their trial, which is '' for calls outside of trials. */
interface FolderCosts {
  readonly byContext: ReadonlyMap<string, Ledger>;
  readonly table: ModelTable;
}

/** Finds the cost of a model's own calls for a cell. */
export type FindCost = (
  models: readonly string[],
  cell: Pick<ResultCell, 'task' | 'model' | 'context'>,
) => Quantity;

/** Reads the ledger of a run's folder; undefined if it has none. Calls in flight are not counted. */
export async function readCosts(path: string): Promise<FolderCosts | undefined> {
  const store = await openRunStore(path);
  const workers = await readLedgerLines(store);
  if (workers.length === 0) return undefined;
  const workerLedgers = workers.map(({ worker, lines }) => ({ worker, lines: nameContexts(lines) }));
  const settledLedgers = await settleLedgers(workerLedgers, 'all', createAnswerLookup(openJournal(store)));
  const byContext = new Map<string, Ledger>();
  for (const { spec: name, ...row } of mergeWorkerLedgers(settledLedgers)) {
    const [context, spec] = splitName(name);
    byContext.set(context, [...(byContext.get(context) ?? []), { ...row, spec }]);
  }
  return { byContext, table: buildModelTable(await readSteering(store)) };
}

/** Passes on lines whose model is named together with the context of its trial, because a ledger adds up by name. */
async function* nameContexts(lines: AsyncIterable<LedgerLine>): AsyncGenerator<LedgerLine> {
  for await (const line of lines) {
    if (line.event !== 'sent') yield line;
    else {
      const call = parseJournalKey(line.key);
      const context = (call && parseTrialContext(call.workflowId)) ?? '';
      yield { ...line, spec: `${context} ${line.spec}` };
    }
  }
}

/** Splits a name at its first space: no context contains one. */
function splitName(name: string): [context: string, spec: string] {
  const at = name.indexOf(' ');
  return [name.slice(0, at), name.slice(at + 1)];
}

/** Builds a table of the tokens and cost of each model and step. */
export function buildFolderCostTable(folder: string, { byContext, table }: FolderCosts): Table {
  const ledger = mergeLedgers(byContext.values());
  const { usd, unpricedModels } = computeCost(ledger, table);
  return {
    ...buildCostTable(ledger, table),
    title: `Cost of ${folder}: ${formatCost(usd, unpricedModels.length > 0)} at list prices`,
    lines:
      unpricedModels.length === 0
        ? []
        : [`Not in the sum, because no price is known: ${unpricedModels.join(', ')}.`],
  };
}

/** Creates the lookup of what a model's own calls cost in one task and context; summaries and memories included. */
export function createCostLookup({ byContext, table }: FolderCosts): FindCost {
  return (models, { task, model, context }) => {
    const taskRows = (byContext.get(context) ?? []).filter(
      ({ spec, step }) =>
        OWN_STEPS[task].some((name) => name === step) && formatResultName(models, spec) === model,
    );
    const { usd, unpricedModels } = computeCost(taskRows, table);
    return toQuantity(unpricedModels.length > 0 ? null : usd, 'usd');
  };
}

const OWN_STEPS: Readonly<Record<Task, readonly EvaluationStep[]>> = {
  inference: ['summarize', 'recall', 'infer'],
  generation: ['summarize', 'recall', 'respond'],
  choice: ['summarize', 'recall', 'choose'],
};
