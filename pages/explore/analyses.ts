import { buildAnalysisSections } from '../../runs/tables/analyses';
import { openPen } from '../charts/drawing';
import { drawEvaluation } from '../charts/sections';
import type { ChartsView, SectionView } from './answers';
import type { ResultsFolder } from './sources';

/** Builds the analyses of a finished evaluation, with the tables of its `results.txt`. An evaluation in progress has none. */
export function buildAnalyses({ name, results }: ResultsFolder): SectionView[] {
  if (results === undefined) return [];
  return buildAnalysisSections(results).map((section) => ({ source: name, ...section }));
}

/** Draws the charts of finished evaluations. They are drawn when somebody wants to see them, because this takes a second. */
export async function drawCharts(folders: readonly ResultsFolder[]): Promise<ChartsView[]> {
  const drawnFolders = folders.flatMap(({ name, results }) =>
    results === undefined ? [] : [{ source: name, results }],
  );
  if (drawnFolders.length === 0) return [];
  const pen = await openPen();
  return drawnFolders.map(({ source, results }) => ({ source, charts: drawEvaluation(pen, results) }));
}
