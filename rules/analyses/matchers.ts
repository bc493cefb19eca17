import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { MatcherComparison } from '../../schemas/evaluation/results/analyses';
import { listPairs } from '../group-by';
import { computeCorrelation } from './correlation';
import { buildAnswerKey, groupRows } from './groups';
import { computeLabelAgreement } from './agreement';
import { isCounted } from '../scores/counted-instances';
import { computeNumbers } from '../scores/numbers';

export function compareMatchers(rows: readonly ScoreRow[]): MatcherComparison[] {
  const inferences = rows.filter(({ task }) => task === 'inference');
  const shared = groupRows(inferences, ({ context, decomposer }) => ({ context, decomposer }));
  return shared.flatMap(({ name, rows: sharedRows }) => {
    const groups = groupRows(sharedRows, ({ evaluator, evaluator_form }) => ({ evaluator, evaluator_form }));
    return listPairs(groups).map(([first, second]) => ({
      ...name,
      first: first.name,
      second: second.name,
      ...comparePairs(buildPairs(first.rows, second.rows)),
    }));
  });
}

interface RowPair {
  model: string;
  first: ScoreRow;
  second: ScoreRow;
}

function buildPairs(first: readonly ScoreRow[], second: readonly ScoreRow[]): RowPair[] {
  const secondRows = new Map(second.filter(isCounted).map((row) => [buildAnswerKey(row), row]));
  return first.filter(isCounted).flatMap((row) => {
    const secondRow = secondRows.get(buildAnswerKey(row));
    return secondRow === undefined ? [] : [{ model: row.model, first: row, second: secondRow }];
  });
}

function comparePairs(
  pairs: readonly RowPair[],
): Pick<MatcherComparison, 'models' | 'correlation' | 'n_entries' | 'alpha'> {
  const models = [...new Set(pairs.map(({ model }) => model))].flatMap((model) => {
    const modelPairs = pairs.filter((pair) => pair.model === model);
    const { n_instances, f1: first_f1 } = computeNumbers(modelPairs.map(({ first }) => first));
    const { f1: second_f1 } = computeNumbers(modelPairs.map(({ second }) => second));
    return first_f1 === null || second_f1 === null ? [] : [{ model, n_instances, first_f1, second_f1 }];
  });
  const entries = pairs.flatMap(({ first, second }) => [
    ...pairLabels(first.inferred_labels, second.inferred_labels),
    ...pairLabels(first.true_labels, second.true_labels),
  ]);
  return {
    models,
    correlation: computeCorrelation(models.map(({ first_f1, second_f1 }) => ({ x: first_f1, y: second_f1 }))),
    n_entries: entries.length,
    alpha: computeLabelAgreement(entries),
  };
}

/** Returns both labels of each entry. Lists of different lengths are of different checklists, so they give none. */
function pairLabels(
  first: readonly MatchLabel[] | null,
  second: readonly MatchLabel[] | null,
): MatchLabel[][] {
  if (first === null || second === null || first.length !== second.length) return [];
  return first.map((label, place) => [label, ...second.slice(place, place + 1)]);
}
