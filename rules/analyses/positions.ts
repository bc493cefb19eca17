import { mean } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { getSetting, type CellKey, type Setting } from '../scores/cells';
import { getCellKey, groupRows } from './groups';
import { getResult } from './numbers';

/** The instances whose relevant sessions lie, on the mean, at one position of the history. */
interface PositionPoint {
  /** From 1, in steps of 0.5. */
  position: number;
  n_instances: number;
  /** Of the instances' F1 (inference, 0 to 1) or scores (generation, 0 to 10). */
  mean: number;
}

export interface PositionAnalysis {
  cells: (CellKey & { points: PositionPoint[] })[];
  /** All models of a setting together, each instance of each model counting once (figure 3). */
  settings: (Setting & { models: string[]; points: PositionPoint[] })[];
}

/**
 * Results by mean position of the relevant sessions (figure 3). The paper does not say how it groups positions: here by the
 * position rounded to 0.5 (quarters up), which changes nothing where two sessions are relevant, as in its instances.
 * Instances without a relevant session, and rows that do not count, are left out.
 */
export function analyzePositions(rows: readonly ScoreRow[]): PositionAnalysis {
  return {
    cells: groupRows(rows, getCellKey).map((cell) => ({ ...cell.name, points: buildPoints(cell.rows) })),
    settings: groupRows(rows, getSetting).map((setting) => ({
      ...setting.name,
      models: [...new Set(setting.rows.map(({ model }) => model))],
      points: buildPoints(setting.rows),
    })),
  };
}

function buildPoints(rows: readonly ScoreRow[]): PositionPoint[] {
  const groups = new Map<number, number[]>();
  for (const row of rows) {
    const result = getResult(row);
    if (result === null || row.relevant_position === null) continue;
    const position = Math.round(row.relevant_position * 2) / 2;
    const group = groups.get(position);
    if (group === undefined) groups.set(position, [result]);
    else group.push(result);
  }
  return [...groups]
    .toSorted(([one], [other]) => one - other)
    .map(([position, results]) => ({ position, n_instances: results.length, mean: mean(results) }));
}
