import { mean } from 'simple-statistics';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type {
  PositionAnalysis,
  PositionPoint,
  PositionResults,
  TypeResult,
} from '../../schemas/evaluation/results/analyses';
import { getSetting } from '../scores/cells';
import { computeGroupMeans, type PlacedResult } from './group-means';
import { getCellKey, groupRows } from './groups';
import { getResult } from '../scores/numbers';

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

interface Placed extends PlacedResult {
  readonly type: InstanceType;
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
  const roundedPlacements = placements.map(({ place, result }) => ({
    place: Math.round(place * 2) / 2,
    result,
  }));
  return computeGroupMeans(roundedPlacements).map(({ place, ...means }) => ({ position: place, ...means }));
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
    matched_sample:
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
