import type { EvaluationResults } from '../../schemas/evaluation/results';
import { hasPaperSetup } from '../../runs/tables/analyses';
import { drawDifferences } from './differences';
import type { Pen } from './drawing';
import type { SectionCharts } from './figure';
import { drawHistories, drawLengths, drawPositions } from './lines';
import { drawEvaluators, drawSynthesizers } from './matrices';
import { drawScores } from './scores';
import { drawTasks } from './tasks';

/** Draws the charts of an evaluation. */
export function drawEvaluation(
  pen: Pen,
  { analyses, cells, differences }: EvaluationResults,
): readonly SectionCharts[] {
  return [
    { topic: 'scores', figures: [...drawScores(pen, cells), ...drawEvaluators(pen, cells)] },
    { topic: 'differences', figures: drawDifferences(pen, differences) },
    { topic: 'positions', figures: drawPositions(pen, analyses.by_position) },
    { topic: 'lengths', figures: drawLengths(pen, analyses.by_length) },
    { topic: 'histories', figures: drawHistories(pen, { cells, analyses }) },
    { topic: 'tasks', figures: drawTasks(pen, analyses.tasks, hasPaperSetup(cells)) },
    { topic: 'synthesizers', figures: drawSynthesizers(pen, analyses.synthesizers) },
  ];
}
