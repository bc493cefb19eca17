import { findResults } from '../../runs/evaluate/read-results';
import { buildAnalysisSections } from '../../runs/tables/analyses';
import type { SectionView } from './answers';
import type { ResultsFolder } from './sources';

/** Reads the analyses of a finished evaluation, with the tables of its `results.txt`. An evaluation in progress has none. */
export async function readAnalyses({ name, path }: ResultsFolder): Promise<SectionView[]> {
  const stored = await findResults(path);
  if (stored === undefined) return [];
  return buildAnalysisSections(stored.results).map(({ title, explanation, tables }) => ({
    source: name,
    title,
    explanation,
    tables,
  }));
}
