import { max, mean } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { OverlongShare } from '../../schemas/evaluation/results/analyses';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { groupRows } from './groups';

/** Maximum number of words in an inferred preference, as the prompt asks (figure 21). */
export const MOST_WORDS = 30;

/** Computes the share of inferences above 30 words; models and contexts without inferences are left out. */
export function computeOverlongShares(rows: readonly ScoreRow[]): OverlongShare[] {
  const inferred = rows.filter(({ task, inferred_words }) => task === 'inference' && inferred_words !== null);
  return groupRows(inferred, ({ model, context }) => ({ model, context })).map((group) => {
    const counts = new Map(group.rows.map((row) => [buildInstanceKey(row), row.inferred_words ?? 0]));
    const words = [...counts.values()];
    const n_overlong = words.filter((count) => count > MOST_WORDS).length;
    return {
      ...group.name,
      n_inferences: words.length,
      n_overlong,
      share: n_overlong / words.length,
      mean_words: mean(words),
      most_words: max(words),
    };
  });
}
