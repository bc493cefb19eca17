import type { Resampling } from '../scores/bootstrap';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { compareChoices } from './choices';
import { compareContexts } from './contexts';
import { compareJudges } from './judges';
import { compareDataSets } from './data-sets';
import { analyzeLengths } from './lengths';
import { compareMatchers } from './matchers';
import { computeOverlongShares } from './overlong';
import { analyzePositions } from './positions';
import { compareSynthesizers } from './synthesizers';
import { compareTasks } from './tasks';

/** Results on other data sets. */
interface ComparedData {
  readonly others: Parameters<typeof compareDataSets>[1];
  readonly resampling: Resampling;
}

/**
 * Computes the analyses as data: the paper's, and comparisons with choices and with other data sets.
 * @param ofAllData rows of several data sets, to compare tested models by the model that synthesized the data
 */
export function computeAnalyses(
  rows: readonly ScoreRow[],
  ofAllData = rows,
  { others, resampling }: ComparedData = { others: [], resampling: { seed: 0, resamples: 0 } },
) {
  return {
    by_position: analyzePositions(rows),
    by_length: analyzeLengths(rows),
    tasks: compareTasks(rows),
    choices: compareChoices(rows),
    matchers: compareMatchers(rows),
    judges: compareJudges(rows),
    contexts: compareContexts(rows),
    synthesizers: compareSynthesizers(ofAllData),
    data_sets: compareDataSets(rows, others, resampling),
    overlong_inferences: computeOverlongShares(rows),
  };
}
