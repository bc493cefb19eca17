import { hasEvaluationPlan } from '../../data/run/evaluation-plan';
import { openRunStore } from '../../data/store/open-store';
import { quotePath } from '../../schemas/text/shell-text';
import type { MissingScores, MissingView } from './answers';
import type { ResultsFolder } from './sources';

/** Lists the missing scores of each folder that has any: by model, failed step and kind of failure. */
export async function listMissing(
  folders: readonly ResultsFolder[],
  missing: readonly MissingScores[],
): Promise<MissingView[]> {
  const views = await Promise.all(
    folders.map(async ({ name, path }) => {
      const scores = missing.filter(({ column }) => column.source === name);
      return scores.length === 0 ? [] : [{ folder: name, remedy: await describeRemedy(path), scores }];
    }),
  );
  return views.flat();
}

async function describeRemedy(path: string): Promise<string> {
  return (await hasEvaluationPlan(await openRunStore(path)))
    ? `Retry them: cupid retry ${quotePath(path)}`
    : 'The answers are not in this folder, so the scores can be retried only where its .cupid is.';
}

/** Counts the scores that are missing. */
export function countMissing(missing: readonly MissingScores[]): number {
  return missing.reduce((sum, { count }) => sum + count, 0);
}
