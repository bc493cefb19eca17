import { mean } from 'simple-statistics';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { groupBy } from '../group-by';
import { getSetting, type CellKey, type Setting } from '../scores/cells';
import { getCellKey, groupRows } from './groups';
import { getResult } from '../scores/numbers';

/** Instances whose relevant sessions have the same mean position in the history. */
interface PositionPoint {
  /** From 1, in steps of 0.5. */
  position: number;
  n_instances: number;
  /** Mean of the instances' F1 (inference, 0 to 1) or scores (generation, 0 to 10), or the accuracy (choice, 0 to 1). */
  mean: number;
}

/** The instances of one type. Positions of relevant sessions depend on the type (B.5), so types are also compared at equal positions. */
interface TypeResult {
  instance_type: InstanceType;
  n_instances: number;
  /** From 1. */
  mean_position: number;
  mean: number;
  /**
   * Mean with the same weights of positions for all types: the smallest number of instances that a type has there. Null without a common position.
   */
  matched: { n_instances: number; mean: number } | null;
}

interface PositionResults {
  points: PositionPoint[];
  /** Types without instances are left out. */
  types: TypeResult[];
}

interface PositionAnalysis {
  cells: (CellKey & PositionResults)[];
  /** All models of a setting together, each instance of each model counted once (figure 3). */
  settings: (Setting & { models: string[] } & PositionResults)[];
}

/**
 * Groups results by the mean position of the relevant sessions (figure 3). The paper does not say how it groups positions. Here they are rounded
 * to 0.5 (quarters up), which changes nothing for instances with two relevant sessions. Instances without a relevant session and rows that do not
 * count are left out.
 */
export function analyzePositions(rows: readonly ScoreRow[]): PositionAnalysis {
  return {
    cells: groupRows(rows, getCellKey).map((cell) => ({ ...cell.name, ...analyzeGroup(cell.rows) })),
    settings: groupRows(rows, getSetting).map((setting) => ({
      ...setting.name,
      models: [...new Set(setting.rows.map(({ model }) => model))],
      ...analyzeGroup(setting.rows),
    })),
  };
}

interface Placed {
  readonly type: InstanceType;
  readonly place: number;
  readonly result: number;
}

function analyzeGroup(rows: readonly ScoreRow[]): PositionResults {
  const placements = rows.flatMap((row): Placed[] => {
    const result = getResult(row);
    if (result === null || row.relevant_position === null) return [];
    return [{ type: row.instance_type, place: row.relevant_position, result }];
  });
  return { points: buildPoints(placements), types: compareTypes(placements) };
}

function buildPoints(placements: readonly Placed[]): PositionPoint[] {
  return [...groupBy(placements, ({ place }) => Math.round(place * 2) / 2)]
    .toSorted(([a], [b]) => a - b)
    .map(([position, group]) => ({
      position,
      n_instances: group.length,
      mean: mean(group.map(({ result }) => result)),
    }));
}

function compareTypes(placements: readonly Placed[]): TypeResult[] {
  const types = INSTANCE_TYPES.map((type) => ({
    type,
    placements: placements.filter((placement) => placement.type === type),
  }))
    .filter(({ placements: ofType }) => ofType.length > 0)
    .map((group) => ({ ...group, points: buildPoints(group.placements) }));
  const weights = findCommonPositions(types.map(({ points }) => points));
  const instances = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return types.map(({ type, placements: ofType, points }) => ({
    instance_type: type,
    n_instances: ofType.length,
    mean_position: mean(ofType.map(({ place }) => place)),
    mean: mean(ofType.map(({ result }) => result)),
    matched:
      instances === 0
        ? null
        : {
            n_instances: instances,
            mean:
              points.reduce((sum, point) => sum + (weights.get(point.position) ?? 0) * point.mean, 0) /
              instances,
          },
  }));
}

/** Returns the positions that all types have in common, each with the smallest number of instances of a type there. A single type has none. */
function findCommonPositions(types: readonly (readonly PositionPoint[])[]): Map<number, number> {
  const [first = [], ...otherTypes] = types;
  if (otherTypes.length === 0) return new Map();
  return new Map(
    first.flatMap(({ position, n_instances }) => {
      const counts = otherTypes.map(
        (points) => points.find((point) => point.position === position)?.n_instances ?? 0,
      );
      const fewest = Math.min(n_instances, ...counts);
      return fewest === 0 ? [] : [[position, fewest] as const];
    }),
  );
}
