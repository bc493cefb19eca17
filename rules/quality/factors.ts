import { listPresent } from '../../schemas/text/list-present';
import type { FactorForm } from '../../schemas/dataset/record';
import { quoteAnswer } from '../texts/quote-answer';
import { hasName, isSamePreference } from '../texts/compare-texts';

/**
 * Reports problems of a persona's context factors beyond their form (paper, B.2 and figure 17). The contrastive pair has one factor type and a
 * common task type. All preferences differ, and not only by a negation. No preference mentions its own factor.
 */
export function listFactorProblems(factors: readonly FactorForm[]): string[] {
  return listPresent(
    ...listPairProblems(factors),
    ...factors.map(findRepeatedPreference),
    ...factors.map(findNamedFactor),
  );
}

function listPairProblems(factors: readonly FactorForm[]): string[] {
  const [first, second] = factors.slice(-2);
  if (first === undefined || second === undefined) return [];
  return listPresent(
    first.factor_type !== second.factor_type &&
      `the contrastive pair must have one factor_type, but ${quoteAnswer(first.factor)} is ${first.factor_type} and ${quoteAnswer(second.factor)} is ${second.factor_type}`,
    !first.task_types.some((task) => second.task_types.includes(task)) &&
      'the factors of the contrastive pair must have at least one task type in common',
  );
}

function findRepeatedPreference({ preference }: FactorForm, index: number, factors: readonly FactorForm[]) {
  const first = factors
    .slice(0, index)
    .findIndex((candidate) => isSamePreference(candidate.preference, preference));
  if (first < 0) return undefined;
  return `factor ${index + 1}: preference ${quoteAnswer(preference)} is nearly that of factor ${first + 1}, or its negation`;
}

function findNamedFactor({ factor, preference }: FactorForm, index: number): string | undefined {
  if (!hasName(preference, factor)) return undefined;
  return `factor ${index + 1}: the preference must not mention its own factor ${quoteAnswer(factor)}`;
}
