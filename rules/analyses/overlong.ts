import { max, mean } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { groupRows } from './groups';

/** The most words that the prompt asks an inferred preference to have (figure 21). */
export const MOST_WORDS = 30;

/** How well one model keeps to the limit in one context. */
interface OverlongShare {
  model: string;
  context: ScoreRow['context'];
  /** Inferences, each once however many evaluated it, and even when none could. */
  n_inferences: number;
  n_overlong: number;
  /** From 0 to 1. */
  share: number;
  mean_words: number;
  most_words: number;
}

/** Returns the share of inferences with more than 30 words; models and contexts without inferences are left out. */
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
