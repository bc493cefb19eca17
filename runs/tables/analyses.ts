import type { EvaluationResults } from '../../schemas/evaluation/results';
import { isComparable } from '../../rules/scores/paper-parts';
import { buildChoiceErrorSections, buildChoiceSections } from './choices';
import { buildContextSections } from './contexts';
import { buildDataSetSections } from './data-sets';
import { buildContextDifferenceSections, buildDifferenceSections } from './differences';
import { buildErrorSections } from './errors';
import { buildJudgeComparisonSections, buildJudgeSections } from './judges';
import { buildHistorySections } from './histories';
import { buildLabelSections, buildMatcherSections } from './matchers';
import { buildLengthSections, buildOverlongSections } from './lengths';
import type { OptionalStudyKind } from '../../schemas/evaluation/studies';
import { omitUndefined } from '../../schemas/omit-undefined';
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

/** Builds the sections of one analysis; none if there is nothing to show. @param withPaper whether the paper's numbers stand beside */
type BuildSections = (results: AnalysisInputs, withPaper: boolean) => readonly Section[];

/** The analyses in the order of the report; each study has one. */
const ANALYSES = {
  choiceErrors: ({ cells }) => buildChoiceErrorSections(cells),
  differences: ({ differences }) => buildDifferenceSections(differences),
  reference: ({ reference_compatible }) => buildReferenceSections(reference_compatible),
  positions: ({ analyses }) => buildPositionSections(analyses.by_position),
  lengths: ({ analyses, tokenizer }) => buildLengthSections(analyses.by_length, tokenizer),
  histories: (results) => buildHistorySections(results),
  tasks: ({ analyses }, withPaper) => buildTaskSections(analyses.tasks, withPaper),
  choices: ({ analyses }) => buildChoiceSections(analyses.choices),
  matchers: ({ analyses }, withPaper) => buildMatcherSections(analyses.matchers, withPaper),
  labels: ({ analyses }) => buildLabelSections(analyses.human_labels),
  contexts: ({ analyses }) => buildContextSections(analyses.contexts),
  contextDifferences: ({ context_differences }) => buildContextDifferenceSections(context_differences),
  memory: ({ analyses, memory }) => buildMemorySections({ ...omitUndefined({ memory }), analyses }),
  synthesizers: ({ analyses }) => buildSynthesizerSections(analyses.synthesizers),
  dataSets: ({ analyses }) => buildDataSetSections(analyses),
  overlong: ({ analyses }) => buildOverlongSections(analyses.overlong_inferences),
  errors: ({ analyses }, withPaper) => buildErrorSections(analyses.error_types, withPaper),
  judges: ({ analyses }) => buildJudgeComparisonSections(analyses.judges),
  repeats: ({ analyses }) => buildJudgeSections(analyses.judge_reliability),
  stress: ({ analyses }) => buildStressSections(analyses.stress),
  misapplication: ({ analyses }) => buildMisapplicationSections(analyses),
} satisfies Readonly<Record<OptionalStudyKind, BuildSections> & Record<string, BuildSections>>;

/**
 * Builds the analyses that have something to show; – means no number. Includes the paper's numbers if all evaluations
 * of the full history have the paper's set-up.
 */
export function buildAnalysisSections(results: AnalysisInputs): Section[] {
  const withPaper = hasPaperSetup(results.cells);
  return Object.values(ANALYSES).flatMap((build) => build(results, withPaper));
}

/** Returns whether all cells of the full history have the paper's set-up, so that its numbers stand beside theirs. */
export function hasPaperSetup(cells: EvaluationResults['cells']): boolean {
  const ofFullHistory = cells.filter(({ context }) => context === 'full');
  return ofFullHistory.length > 0 && ofFullHistory.every(({ setup }) => isComparable(setup));
}
