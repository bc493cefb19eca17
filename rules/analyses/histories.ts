import { mean } from 'simple-statistics';
import { CONTEXTS, getContextForm, getHistoryTier } from '../../schemas/evaluation/context';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { DepthBin, HistoryResults } from '../../schemas/evaluation/results/analyses';
import { groupBy } from '../group-by';
import { getResult } from '../scores/numbers';
import { computeGroupMeans } from './group-means';
import { getCellKey, groupRows } from './groups';

/** Number of parts of a history by which the depth of its evidence is grouped. */
const PARTS = 5;

/** Ends of the parts, as shares of the history. */
export const DEPTHS = Array.from({ length: PARTS }, (_, at) => (at + 1) / PARTS);

/**
 * Groups the results with extended histories by the depth of the relevant sessions, beside those with the own history. Depth is the mean place of
 * these sessions as a share of all sessions: near 0 at the beginning, near 1 just before the request.
 */
export function analyzeHistories(rows: readonly ScoreRow[]): HistoryResults[] {
  const forms = groupRows(rows, (row) => {
    const { context, ...cell } = getCellKey(row);
    return { ...cell, form: getContextForm(context) };
  });
  return forms.flatMap(({ rows: formRows }) => {
    const isExtended = formRows.some(({ context }) => getHistoryTier(context) !== undefined);
    return isExtended ? compareLengths(formRows) : [];
  });
}

function compareLengths(rows: readonly ScoreRow[]): HistoryResults[] {
  const byContext = groupBy(rows, ({ context }) => context);
  return CONTEXTS.flatMap((context) => {
    const contextRows = byContext.get(context) ?? [];
    const countedRows = contextRows.filter((row) => getResult(row) !== null);
    return contextRows.slice(0, 1).map((first) => ({
      ...getCellKey(first),
      mean_tokens: countedRows.length === 0 ? 0 : mean(countedRows.map((row) => row.prior_tokens)),
      n_instances: countedRows.length,
      by_depth: groupByDepth(countedRows),
    }));
  });
}

function groupByDepth(rows: readonly ScoreRow[]): DepthBin[] {
  const placements = rows.flatMap((row) => {
    const result = getResult(row);
    const { relevant_position: position, n_prior_sessions: sessions } = row;
    if (result === null || position === null || sessions === 0) return [];
    return [{ place: Math.ceil(((position - 0.5) / sessions) * PARTS), result }];
  });
  return computeGroupMeans(placements).map(({ place, ...means }) => ({ max_depth: place / PARTS, ...means }));
}

/** Returns the rows with the data's own history, whose positions and lengths are comparable. */
export function listOwnHistories(rows: readonly ScoreRow[]): ScoreRow[] {
  return rows.filter(({ context }) => getHistoryTier(context) === undefined);
}
