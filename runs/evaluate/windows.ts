import { buildModelTable, readModelTable } from '../../data/model-table';
import { collectFacts } from '../../engine/model-facts/facts';
import { getContextForm, getHistoryTier, HISTORY_TOKENS } from '../../schemas/evaluation/context';
import type { Cell } from '../../schemas/evaluation/evaluation';
import { InputError } from '../../schemas/input-error';
import { formatNumber } from '../../schemas/text/count-text';
import type { EvaluationTarget } from './plan';

/** Tokens of a request besides the history: the prompt, and an answer of usual length. */
const BESIDE_HISTORY = 2_000;

/** A target without the cells whose history is longer than the context window of their model, and a line for each of these. */
interface ReadableTarget {
  readonly target: EvaluationTarget;
  readonly leftOut: readonly string[];
}

/**
 * Leaves out cells that their model cannot read. Their numbers are missing, because a 0 would say that the model had read the history.
 * @param file model table of the user
 * @throws InputError if no cell is left
 */
export async function leaveOutSmallWindows(
  target: EvaluationTarget,
  file: string | undefined,
): Promise<ReadableTarget> {
  const table = buildModelTable({ modelTable: file === undefined ? undefined : await readModelTable(file) });
  const findWindow = ({ model, context }: Cell): number | undefined => {
    const tier = getHistoryTier(context);
    const isRead = getContextForm(context) !== 'memory';
    const window = tier === undefined || !isRead ? undefined : collectFacts(model, table).contextWindow;
    const isSmall =
      window !== undefined && tier !== undefined && window < HISTORY_TOKENS[tier] + BESIDE_HISTORY;
    return isSmall ? window : undefined;
  };
  const cells = target.cells.filter((cell) => findWindow(cell) === undefined);
  const lines = target.cells.flatMap((cell) => {
    const window = findWindow(cell);
    return window === undefined
      ? []
      : [
          `Left out: context ${cell.context} of ${cell.model}, whose context window has ${formatNumber(window)} tokens. If it has more, set contextWindow in a file for --models.`,
        ];
  });
  const leftOut = [...new Set(lines)];
  if (leftOut.length > 0 && cells.length === 0) {
    throw new InputError([...leftOut, 'Nothing is left to evaluate. Name a shorter --history.'].join('\n'));
  }
  return { target: { ...target, cells }, leftOut };
}
