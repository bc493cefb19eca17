import { findResults } from '../../runs/evaluate/read-results';
import { buildAnalysisSections } from '../../runs/tables/analyses';
import { openPen } from '../charts/drawing';
import { drawEvaluation } from '../charts/sections';
import type { ChartsView, SectionView } from './answers';
import type { ResultsFolder } from './sources';

/** Reads the analyses of a finished evaluation, with the tables of its `results.txt`. An evaluation in progress has none. */
export async function readAnalyses({ name, path }: ResultsFolder): Promise<SectionView[]> {
  const stored = await findResults(path);
  if (stored === undefined) return [];
  return buildAnalysisSections(stored.results).map((section) => ({ source: name, ...section }));
}

/** Draws the charts of finished evaluations. They are drawn when somebody wants to see them, because this takes a second. */
export async function readCharts(folders: readonly ResultsFolder[]): Promise<ChartsView[]> {
  const pen = await openPen();
  const views: ChartsView[] = [];
  for (const { name, path } of folders) {
    const stored = await findResults(path);
    if (stored !== undefined) views.push({ source: name, charts: drawEvaluation(pen, stored.results) });
  }
  return views;
}
