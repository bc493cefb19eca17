import { findResults } from '../../runs/evaluate/read-results';
import { getSetting } from '../../rules/scores/cells';
import { listOverviews } from '../report/tables/overview';
import type { LeaderboardView } from './answers';
import type { ResultsFolder } from './sources';

/** Reads the leaderboards of finished evaluations, with the numbers of their `results.json`. An evaluation in progress has none. */
export async function readLeaderboards(folders: readonly ResultsFolder[]): Promise<LeaderboardView[]> {
  const boards = await Promise.all(
    folders.map(async ({ name: source, path }) => {
      const found = await findResults(path);
      const overviews = found === undefined ? [] : listOverviews(found.results);
      return overviews.map(({ above, columns, rows }) => ({
        above: folders.length > 1 ? [source, ...above] : above,
        columns,
        rows: rows.map(({ cell, numbers }) => ({
          column: { ...getSetting(cell), model: cell.model, source },
          numbers,
        })),
      }));
    }),
  );
  return boards.flat();
}
