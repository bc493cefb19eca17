import type { EvaluationResults } from '../../../evaluations/results';
import { isComparable } from '../../../evaluations/paper-setup';
import { renderContexts } from './contexts';
import { renderDifferences } from './differences';
import { renderErrors } from './errors';
import { renderJudges } from './judges';
import { renderLabels } from './labels';
import { renderLengths } from './lengths';
import { renderMatchers } from './matchers';
import { renderOverlong } from './overlong';
import { renderPositions } from './positions';
import { renderReferenceSums } from './reference';
import { renderSynthesizers } from './synthesizers';
import { renderTasks } from './tasks';

/** What of the results the tables show. */
export type AnalysisInputs = Pick<
  EvaluationResults,
  'analyses' | 'differences' | 'reference_compatible' | 'tokenizer'
> & { readonly cells: readonly Pick<EvaluationResults['cells'][number], 'context' | 'setup'>[] };

/**
 * The analyses as lines for a terminal of 100 columns (names may be longer), each with a title, a line that says what its
 * numbers are and, where all that is evaluated from the full history has the paper's set-up, what the paper has of the kind, and its tables. One with nothing to show is left out; – is no number.
 */
export function renderAnalyses({
  analyses,
  cells,
  differences,
  reference_compatible,
  tokenizer,
}: AnalysisInputs): string[] {
  const ofFullHistory = cells.filter(({ context }) => context === 'full');
  const withPaper = ofFullHistory.length > 0 && ofFullHistory.every(({ setup }) => isComparable(setup));
  return [
    ...renderDifferences(differences),
    ...renderReferenceSums(reference_compatible),
    ...renderPositions(analyses.by_position),
    ...renderLengths(analyses.by_length, tokenizer),
    ...renderTasks(analyses.tasks, withPaper),
    ...renderMatchers(analyses.matchers, withPaper),
    ...renderLabels(analyses.human_labels),
    ...renderContexts(analyses.contexts),
    ...renderSynthesizers(analyses.synthesizers),
    ...renderOverlong(analyses.overlong_inferences),
    ...renderErrors(analyses.error_types, withPaper),
    ...renderJudges(analyses.judge_reliability),
  ];
}
