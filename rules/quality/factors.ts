import type { ContextFactor } from '../../schemas/dataset/factor';
import { quoteAnswer } from '../answers/form/checks';
import { hasName, isSamePreference } from './compare-texts';

/** As anybody may have written it. */
type Factor = Record<Exclude<keyof ContextFactor, 'task_types'>, string> & {
  readonly task_types: readonly string[];
};

/**
 * What is wrong with a persona's context factors beyond their form (paper, B.2 and figure 17): the contrastive pair has one factor type
 * and a common task type; all preferences differ, and not by a negation only; no preference mentions its own factor. Empty where nothing is.
 */
export function listFactorProblems(factors: readonly Factor[]): string[] {
  return [...listPairProblems(factors), ...listRepeatedPreferences(factors), ...listNamedFactors(factors)];
}

function listPairProblems(factors: readonly Factor[]): string[] {
  const [one, other] = factors.slice(-2);
  if (one === undefined || other === undefined) return [];
  const problems: string[] = [];
  if (one.factor_type !== other.factor_type) {
    problems.push(
      `the contrastive pair must have one factor_type, but ${quoteAnswer(one.factor)} is ${one.factor_type} and ${quoteAnswer(other.factor)} is ${other.factor_type}`,
    );
  }
  if (!one.task_types.some((task) => other.task_types.includes(task))) {
    problems.push('the factors of the contrastive pair must have at least one task type in common');
  }
  return problems;
}

function listRepeatedPreferences(factors: readonly Factor[]): string[] {
  return factors.flatMap(({ preference }, index) => {
    const first = factors.findIndex((other) => isSamePreference(other.preference, preference));
    return first < index
      ? [
          `factor ${index + 1}: preference ${quoteAnswer(preference)} is nearly that of factor ${first + 1}, or its negation`,
        ]
      : [];
  });
}

function listNamedFactors(factors: readonly Factor[]): string[] {
  return factors.flatMap(({ factor, preference }, index) =>
    hasName(preference, factor)
      ? [`factor ${index + 1}: the preference must not mention its own factor ${quoteAnswer(factor)}`]
      : [],
  );
}
