import type { EvaluationResults } from '../client/evaluation-results';

/** The analyses as tables. */
export function analysisTables(analyses: EvaluationResults['analyses']): string[] {
  return Object.keys(analyses);
}
