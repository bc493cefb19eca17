import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { LengthAnalysis, LengthBin } from '../../schemas/evaluation/results/analyses';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { getCellKey, groupRows } from './groups';
import { computeNumbers } from '../scores/numbers';

/**
 * Groups results by length of the history, in bins with counts of instances as equal as possible (paper, F.4, which gives no number of bins).
 * Instances of equal length stay together, in the bin where the middle one of them falls. If many lengths repeat, there are fewer bins.
 */
export function analyzeLengths(rows: readonly ScoreRow[]): LengthAnalysis {
  const bins = buildBins(rows);
  return {
    bins,
    cells: groupRows(rows, getCellKey).map((cell) => ({
      ...cell.name,
      bins: bins.map(({ min_tokens, max_tokens }) => ({
        max_tokens,
        ...computeNumbers(
          cell.rows.filter((row) => row.prior_tokens >= min_tokens && row.prior_tokens <= max_tokens),
        ),
      })),
    })),
  };
}

const MOST_BINS = 5;

function buildBins(rows: readonly ScoreRow[]): LengthBin[] {
  const instances = new Map(rows.map((row) => [buildInstanceKey(row), row.prior_tokens]));
  const repeats = new Map<number, number>();
  for (const tokens of instances.values()) repeats.set(tokens, (repeats.get(tokens) ?? 0) + 1);
  const bins = new Map<number, LengthBin>();
  let before = 0;
  for (const [tokens, n_instances] of [...repeats].toSorted(([a], [b]) => a - b)) {
    const place = Math.floor(((2 * before + n_instances) * MOST_BINS) / (2 * instances.size));
    const bin = bins.get(place) ?? { min_tokens: tokens, max_tokens: tokens, n_instances: 0 };
    bins.set(place, { ...bin, max_tokens: tokens, n_instances: bin.n_instances + n_instances });
    before += n_instances;
  }
  return [...bins.values()];
}
