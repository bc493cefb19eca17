import { hashText } from '../../../data/store/files';
import { groupBy } from '../../../rules/group-by';
import { isOpen, listCallsOf } from '../../../rules/method/evaluation-reader';
import { formatResultName } from '../../../rules/trials/rows';
import {
  buildPairTurn,
  getSpec,
  numberMatcher,
  type NumberedMatcher,
} from '../../../rules/method/evaluation-work';
import type { MatchLabel } from '../../../schemas/matching/match-label';
import type { EvaluatorName } from '../../../schemas/evaluation/results/keys';
import type { PairWork } from '../../../schemas/evaluation/studies';
import type { StoredEvaluation } from '../outcomes';
import { readStudyCalls } from './calls';

type PairTexts = Pick<PairWork, 'preference' | 'checklist'>;

/** Returns the work of matching each distinct pair by every matcher of the evaluation. */
export function listPairWork(evaluation: StoredEvaluation, pairs: readonly PairTexts[]): PairWork[] {
  const distinctPairs = new Map(pairs.map((pair) => [hashPair(pair), pair]));
  return listMatchers(evaluation).flatMap((matcher) =>
    [...distinctPairs].map(([id, { preference, checklist }]): PairWork => ({
      kind: 'pair',
      id,
      preference,
      checklist,
      matcher,
    })),
  );
}

/** Returns the id of a pair, which is the same in any file and line. */
export function hashPair({ preference, checklist }: PairTexts): string {
  return hashText(JSON.stringify([preference, checklist])).slice(0, 16);
}

/** A matcher, and its labels by the ids of the pairs; null for a pair without a usable answer. */
interface MatchedPairs extends EvaluatorName {
  readonly labels: ReadonlyMap<string, readonly MatchLabel[] | null>;
}

/** Reads the labels of each matcher; undefined while a pair is open. */
export async function readMatchedPairs(
  evaluation: StoredEvaluation,
  work: readonly PairWork[],
): Promise<MatchedPairs[] | undefined> {
  const { evaluators } = evaluation.inputs;
  const matchedPairs: MatchedPairs[] = [];
  for (const matcherWork of groupBy(work, ({ matcher }) => buildPairTurn(matcher)).values()) {
    const labels = new Map<string, readonly MatchLabel[] | null>();
    for (const piece of matcherWork) {
      const calls = await readStudyCalls(evaluation, piece);
      if (calls.some(isOpen)) return undefined;
      const result = listCallsOf(calls, 'match')[0]?.result;
      labels.set(piece.id, result?.state === 'given' ? result.value : null);
    }
    for (const { matcher } of matcherWork.slice(0, 1)) {
      const evaluator = formatResultName(evaluators, getSpec(evaluators, matcher.number));
      matchedPairs.push({ evaluator, evaluator_form: matcher.form, labels });
    }
  }
  return matchedPairs;
}

function listMatchers({ inputs }: StoredEvaluation): NumberedMatcher[] {
  const matchers = inputs.cells.flatMap((cell) =>
    cell.task === 'inference' ? [numberMatcher(inputs.evaluators, cell.matcher)] : [],
  );
  return [...new Map(matchers.map((matcher) => [buildPairTurn(matcher), matcher])).values()];
}
