import type { HistoryForm } from '../../schemas/evaluation/context';
import type { Cell, Task } from '../../schemas/evaluation/evaluation';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';

/** Describes a cell to users, without its evaluators: `choice by simulated:careful (context full)`. */
export function describeCell({
  task,
  model,
  context,
}: {
  readonly task: Task;
  readonly model: string;
  readonly context: HistoryForm;
}): string {
  return `${task} by ${model} (context ${context})`;
}

/** Builds an identity for a cell that ignores its selection. */
export function buildCellIdentity(cell: Cell): string {
  return JSON.stringify({ ...cell, selection: undefined });
}

/** Lists the SPECs that evaluate a cell's answers; none for a choice. */
export function listEvaluators(cell: Cell): string[] {
  if (cell.task === 'choice') return [];
  return cell.task === 'inference' ? [cell.decomposer, cell.matcher.spec] : [cell.judge];
}

/** Lists the SPECs of everything that an evaluation may call, each once. */
export function listCalledSpecs({
  models,
  evaluators,
  memory,
}: Pick<EvaluationInputs, 'models' | 'evaluators' | 'memory'>): string[] {
  return [...new Set([...models, ...evaluators, ...(memory === undefined ? [] : [memory.spec])])];
}
