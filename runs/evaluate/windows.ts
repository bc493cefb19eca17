import { buildModelTable, readModelTable } from '../../data/model-table';
import { collectFacts } from '../../engine/model-facts/facts';
import { groupBy } from '../../rules/group-by';
import { getContextForm, getHistoryTier, HISTORY_TOKENS } from '../../schemas/evaluation/context';
import type { Cell } from '../../schemas/evaluation/evaluation';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import { InputError } from '../../schemas/input-error';
import type { ModelTable } from '../../schemas/model/model-table';
import { STEP_FACTS } from '../../schemas/run/step';
import { formatNumber } from '../../schemas/text/count-text';
import type { EvaluationTarget } from './plan';

/** Tokens of a request besides the history: the prompt, and an answer of usual length. */
const BESIDE_HISTORY = 2_000;

/** Tokens of a session in a log (paper, B.5: 921.5 a dialogue), and in a summary, of which one answer has eight. */
const SESSION_TOKENS = { log: 920, summary: STEP_FACTS.summarize.typicalOutput / 8 };

/** A target without the cells whose history is too long for their model to read or to summarize, and a line for each of these. */
interface ReadableTarget {
  readonly target: EvaluationTarget;
  readonly leftOut: readonly string[];
}

/**
 * Leaves out cells that their model cannot read or summarize. Their numbers are missing, because a 0 would say that the model had read the history.
 * @param file model table of the user
 * @throws InputError if no cell is left
 */
export async function leaveOutUnreadable(
  target: EvaluationTarget,
  file: string | undefined,
): Promise<ReadableTarget> {
  const table = buildModelTable({ modelTable: file === undefined ? undefined : await readModelTable(file) });
  // Cells of several tasks and evaluators have the same reason.
  const byReason = groupBy(
    target.cells,
    (cell) => explainSmallWindow(cell, table) ?? explainLongSummary(cell, target.settings),
  );
  const cells = byReason.get(undefined) ?? [];
  const leftOut = [...byReason.keys()].filter((reason) => reason !== undefined);
  if (leftOut.length > 0 && cells.length === 0) {
    throw new InputError([...leftOut, 'Nothing is left to evaluate. Name a shorter --history.'].join('\n'));
  }
  return { target: { ...target, cells }, leftOut };
}

/** Says why a model cannot read the extended history of a cell; undefined if it can, or its context window is unknown. */
function explainSmallWindow({ model, context }: Cell, table: ModelTable): string | undefined {
  const tier = getHistoryTier(context);
  // The memory system reads the history in place of the model.
  if (tier === undefined || getContextForm(context) === 'memory') return undefined;
  const { contextWindow } = collectFacts(model, table);
  if (contextWindow === undefined || contextWindow >= HISTORY_TOKENS[tier] + BESIDE_HISTORY) return undefined;
  return `Left out: context ${context} of ${model}, whose context window has ${formatNumber(contextWindow)} tokens. If it has more, set contextWindow in a file for --models.`;
}

/** Says why a model cannot summarize an extended history; undefined if it can, or need not. */
function explainLongSummary({ model, context }: Cell, { steps }: EvaluationSettings): string | undefined {
  const tier = getHistoryTier(context);
  if (tier === undefined || getContextForm(context) !== 'summary') return undefined;
  const needed = Math.round((HISTORY_TOKENS[tier] / SESSION_TOKENS.log) * SESSION_TOKENS.summary);
  const { maxTokens } = steps.summarize;
  if (needed <= maxTokens) return undefined;
  return `Left out: context ${context} of ${model}, because one answer summarizes all sessions, and needs about ${formatNumber(needed)} tokens of ${formatNumber(maxTokens)}. If the model can write more, set steps.summarize.maxTokens in a file for --settings.`;
}
