import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { RowAnalyses } from '../../schemas/evaluation/results/analyses';
import { compareChoices } from './choice-comparison';
import { compareContexts } from './contexts';
import { compareJudges } from './judges';
import { analyzeHistories, listOwnHistories } from './histories';
import { analyzeLengths } from './lengths';
import { analyzeMemory } from './memory';
import { compareMatchers } from './matchers';
import { computeOverlongShares } from './overlong';
import { analyzePositions } from './positions';
import { compareSynthesizers } from './synthesizers';
import { compareTasks } from './tasks';

/**
 * Computes the paper's analyses as data, the comparison with choices, and figures of a memory system.
 * @param ofAllData rows of several data sets, to compare tested models by the model that synthesized the data
 * @param memoryBudget tokens of a memory system's context that models see; absent without one
 */
export function computeAnalyses(
  rows: readonly ScoreRow[],
  ofAllData = rows,
  memoryBudget?: number,
): RowAnalyses {
  const ownHistories = listOwnHistories(rows);
  return {
    by_position: analyzePositions(ownHistories),
    by_length: analyzeLengths(ownHistories),
    histories: analyzeHistories(rows),
    tasks: compareTasks(rows),
    choices: compareChoices(rows),
    matchers: compareMatchers(rows),
    judges: compareJudges(rows),
    contexts: compareContexts(rows),
    memory: analyzeMemory(rows, memoryBudget),
    synthesizers: compareSynthesizers(ofAllData),
    overlong_inferences: computeOverlongShares(rows),
  };
}
