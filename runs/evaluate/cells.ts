import type { Cell } from '../../schemas/evaluation/evaluation';

/** Identifies a cell, whatever its selection. */
export function buildCellIdentity(cell: Cell): string {
  return JSON.stringify({ ...cell, selection: undefined });
}

export function listEvaluators(cell: Cell): string[] {
  return cell.task === 'inference' ? [cell.decomposer, cell.matcher.spec] : [cell.judge];
}
