import type { EvaluationResults } from '../../../evaluations/results';
import { isPaperData } from '../../../data/paper';
import type { EvaluatedData } from '../../../schemas/evaluation-run';
import { contextTables } from './contexts';
import { differenceTables } from './differences';
import { errorTables } from './errors';
import { judgeTables } from './judges';
import { labelTables } from './labels';
import { lengthTables } from './lengths';
import { matcherTables } from './matchers';
import { overlongTables } from './overlong';
import { positionTables } from './positions';
import { referenceTables } from './reference';
import { synthesizerTables } from './synthesizers';
import { taskTables } from './tasks';

/** What of the results the tables show. */
export type Analysed = Pick<
  EvaluationResults,
  'analyses' | 'differences' | 'reference_compatible' | 'tokenizer'
> & { readonly data: Pick<EvaluatedData, 'source' | 'instances'> };

/**
 * The analyses as lines for a terminal of 100 columns (names may be longer), each with a title, a line that says what its
 * numbers are and, on the paper's data, what the paper has of the kind, and its tables. One with nothing to show is left out; – is no number.
 */
export function analysisTables({
  analyses,
  data,
  differences,
  reference_compatible,
  tokenizer,
}: Analysed): string[] {
  const withPaper = isPaperData(data);
  return [
    ...differenceTables(differences),
    ...referenceTables(reference_compatible),
    ...positionTables(analyses.by_position),
    ...lengthTables(analyses.by_length, tokenizer),
    ...taskTables(analyses.tasks, withPaper),
    ...matcherTables(analyses.matchers, withPaper),
    ...labelTables(analyses.human_labels),
    ...contextTables(analyses.contexts),
    ...synthesizerTables(analyses.synthesizers),
    ...overlongTables(analyses.overlong_inferences),
    ...errorTables(analyses.error_types, withPaper),
    ...judgeTables(analyses.judge_reliability),
  ];
}
