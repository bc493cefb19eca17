import type { EvaluationResults } from '../evaluations/results';
import { isPaperData } from '../data/paper';
import type { EvaluatedData } from '../schemas/evaluation-run';
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
