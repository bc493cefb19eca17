import { mean } from 'simple-statistics';
import type { ShareFigure } from '../../schemas/dataset/data-figures';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { MemoryFigures, MemoryShares } from '../../schemas/evaluation/results/analyses';
import { computeShare, ShareCounter } from '../statistics/share';
import { buildAnswerKey, groupRows, splitByType } from './groups';

/** Numbers of sessions among the first of which evidence is sought. */
export const RANKS = [2, 4, 8] as const;

/**
 * Computes figures of the memory system; empty without one. Both tasks of a trial have the same answer, which counts once.
 * @param budget tokens of its context that models see
 */
export function analyzeMemory(rows: readonly ScoreRow[], budget = Infinity): MemoryFigures[] {
  return groupRows(listRecalled(rows), ({ model, context }) => ({ model, context })).flatMap(
    ({ name, rows: modelRows }) =>
      splitByType(modelRows).map(({ instance_type, rows: ofType }) => ({
        ...name,
        instance_type,
        ...computeFigures(ofType, budget),
      })),
  );
}

/** Computes the shares of empty and of cut contexts. @param budget tokens of a context that models see */
export function computeMemoryShares(rows: readonly ScoreRow[], budget: number): MemoryShares {
  const recalledRows = listRecalled(rows);
  return {
    empty: computeShare(recalledRows, isEmpty),
    cut: computeShare(recalledRows, (row) => isCut(row, budget)),
  };
}

/** Lists a row for each answer of the memory system. */
function listRecalled(rows: readonly ScoreRow[]): ScoreRow[] {
  const memoryRows = rows.filter(({ memory_tokens: tokens }) => tokens !== null);
  return [...new Map(memoryRows.map((row) => [`${row.context} ${buildAnswerKey(row)}`, row])).values()];
}

function isEmpty({ memory_tokens: tokens }: ScoreRow): boolean {
  return tokens === 0;
}

function isCut({ memory_tokens: tokens }: ScoreRow, budget: number): boolean {
  return tokens !== null && tokens > budget;
}

function computeFigures(
  rows: readonly ScoreRow[],
  budget: number,
): Omit<MemoryFigures, 'model' | 'context' | 'instance_type'> {
  const rowsWithSessions = rows.filter(({ memory_sessions: sessions }) => sessions !== null);
  return {
    n_instances: rows.length,
    n_named: rowsWithSessions.length,
    evidence_recall: RANKS.map((k) => ({ k, share: computeEvidenceRecall(rowsWithSessions, k) })),
    n_empty: rows.filter(isEmpty).length,
    n_cut: rows.filter((row) => isCut(row, budget)).length,
    n_unfinished: rows.filter(({ memory_unfinished_messages: messages }) => (messages ?? 0) > 0).length,
    mean_tokens: mean(rows.map(({ memory_tokens: tokens }) => tokens ?? 0)),
    mean_add_ms: mean(rows.map(({ memory_add_ms: ms }) => ms ?? 0)),
    mean_query_ms: mean(rows.map(({ memory_query_ms: ms }) => ms ?? 0)),
  };
}

function computeEvidenceRecall(rows: readonly ScoreRow[], k: number): ShareFigure | null {
  const counter = new ShareCounter();
  for (const { persona_id, memory_sessions: sessions, evidence_sessions: evidence } of rows) {
    const first = new Set((sessions ?? []).slice(0, k));
    const sought = evidence ?? [];
    counter.add(persona_id, sought.filter((session) => first.has(session)).length, sought.length);
  }
  return counter.end() ?? null;
}
