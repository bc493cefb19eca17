import { buildAnalysisSections } from '../../runs/tables/analyses';
import type { SectionView } from './answers';
import type { ResultsFolder } from './sources';

/** Builds the analyses of a finished evaluation, with the tables of its `results.txt`. An evaluation in progress has none. */
export function buildAnalyses({ name, results }: ResultsFolder): SectionView[] {
  if (results === undefined) return [];
  return buildAnalysisSections(results).map(({ title, explanation, tables }) => ({
    source: name,
    title,
    explanation,
    tables,
  }));
}
