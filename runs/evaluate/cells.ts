import type { Cell } from '../../schemas/evaluation/evaluation';

/** Builds an identity for a cell that ignores its selection. */
export function buildCellIdentity(cell: Cell): string {
  return JSON.stringify({ ...cell, selection: undefined });
}

export function listEvaluators(cell: Cell): string[] {
  return cell.task === 'inference' ? [cell.decomposer, cell.matcher.spec] : [cell.judge];
}
