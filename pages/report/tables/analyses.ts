import type { EvaluationResults } from '../../../runs/evaluate/results';
import { isComparable } from '../../../runs/evaluate/paper-setup';
import { buildChoiceErrorSections, buildChoiceSections } from './choices';
import { buildContextSections } from './contexts';
import { buildDataSetSections } from './data-sets';
import { buildContextDifferenceSections, buildDifferenceSections } from './differences';
import { buildErrorSections } from './errors';
import { buildJudgeComparisonSections, buildJudgeSections } from './judges';
import { buildLabelSections, buildMatcherSections } from './matchers';
import { buildLengthSections, buildOverlongSections } from './lengths';
import { omitUndefined } from '../../../schemas/omit-undefined';
import { buildMemorySections } from './memory';
import { buildMisapplicationSections } from './misapplication';
import { buildPositionSections } from './positions';
import { buildReferenceSections } from './reference';
import type { Section } from './section';
import { buildStressSections } from './stress';
import { buildSynthesizerSections } from './synthesizers';
import { buildTaskSections } from './tasks';

/** The results that the sections show. */
export type AnalysisInputs = Pick<
  EvaluationResults,
  | 'analyses'
  | 'cells'
  | 'context_differences'
  | 'differences'
  | 'memory'
  | 'reference_compatible'
  | 'tokenizer'
>;

/**
 * Builds the analyses that have something to show; – means no number. Includes the paper's numbers if all evaluations
 * of the full history have the paper's set-up.
 */
export function buildAnalysisSections({
  analyses,
  cells,
  context_differences,
  differences,
  memory,
  reference_compatible,
  tokenizer,
}: AnalysisInputs): Section[] {
  const withPaper = hasPaperSetup(cells);
  return [
    ...buildChoiceErrorSections(cells),
    ...buildDifferenceSections(differences),
    ...buildReferenceSections(reference_compatible),
    ...buildPositionSections(analyses.by_position),
    ...buildLengthSections(analyses.by_length, tokenizer),
    ...buildTaskSections(analyses.tasks, withPaper),
    ...buildChoiceSections(analyses.choices ?? []),
    ...buildMatcherSections(analyses.matchers, withPaper),
    ...buildLabelSections(analyses.human_labels),
    ...buildContextSections(analyses.contexts),
    ...buildContextDifferenceSections(context_differences ?? []),
    ...buildMemorySections({ ...omitUndefined({ memory }), analyses }),
    ...buildSynthesizerSections(analyses.synthesizers),
    ...buildDataSetSections(analyses),
    ...buildOverlongSections(analyses.overlong_inferences),
    ...buildErrorSections(analyses.error_types, withPaper),
    ...buildJudgeComparisonSections(analyses.judges),
    ...buildJudgeSections(analyses.judge_reliability),
    ...buildStressSections(analyses.stress),
    ...buildMisapplicationSections(analyses),
  ];
}

/** Returns whether all cells of the full history have the paper's set-up, so that its numbers stand beside theirs. */
export function hasPaperSetup(cells: EvaluationResults['cells']): boolean {
  const ofFullHistory = cells.filter(({ context }) => context === 'full');
  return ofFullHistory.length > 0 && ofFullHistory.every(({ setup }) => isComparable(setup));
}
