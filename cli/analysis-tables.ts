import type { EvaluationResults } from '../client/evaluation-results';
import { contextTables } from './analyses/contexts';
import { differenceTables } from './analyses/differences';
import { errorTables } from './analyses/errors';
import { judgeTables } from './analyses/judges';
import { labelTables } from './analyses/labels';
import { lengthTables } from './analyses/lengths';
import { matcherTables } from './analyses/matchers';
import { overlongTables } from './analyses/overlong';
import { positionTables } from './analyses/positions';
import { referenceTables } from './analyses/reference';
import { synthesizerTables } from './analyses/synthesizers';
import { taskTables } from './analyses/tasks';

/** What of the results the tables show. */
export type Analysed = Pick<
  EvaluationResults,
  'analyses' | 'differences' | 'reference_compatible' | 'tokenizer'
>;

/**
 * The analyses as lines for a terminal of 100 columns (names may be longer), each with a title, a line that says what its
 * numbers are and where the paper has the like, and its tables. One with nothing to show is left out; – is no number.
 */
export function analysisTables({
  analyses,
  differences,
  reference_compatible,
  tokenizer,
}: Analysed): string[] {
  return [
    ...differenceTables(differences),
    ...referenceTables(reference_compatible),
    ...positionTables(analyses.by_position),
    ...lengthTables(analyses.by_length, tokenizer),
    ...taskTables(analyses.tasks),
    ...matcherTables(analyses.matchers),
    ...labelTables(analyses.human_labels),
    ...contextTables(analyses.contexts),
    ...synthesizerTables(analyses.synthesizers),
    ...overlongTables(analyses.overlong_inferences),
    ...errorTables(analyses.error_types),
    ...judgeTables(analyses.judge_reliability),
  ];
}
