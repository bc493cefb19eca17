import { RESULTS, type EvaluationResults } from '../client/evaluation-results';
import { analysisTables } from './analysis-tables';
import { resultTables } from './tables';

/** What an evaluation came to, in lines for a person. */
export function resultLines(results: EvaluationResults): string[] {
  return [...resultTables(results.cells), '', ...notes(results)];
}

/** The same, with every analysis beneath: `results.txt`. */
export function resultText(results: EvaluationResults): string[] {
  return [...resultLines(results), ...analysisTables(results)];
}

function notes({
  cells,
  data,
  simulated,
  prompts,
  without_relevant_sessions,
  counted_as_zero,
}: EvaluationResults): string[] {
  const missing = new Map<string, number>();
  for (const { all } of cells) {
    for (const { step, kind, count } of all.counts.missing_by) {
      const why = `step ${step}, ${kind}`;
      missing.set(why, (missing.get(why) ?? 0) + count);
    }
  }
  return [
    `Data: ${data.source}, ${data.instances} instances, SHA-256 ${data.sha256.slice(0, 12)}…`,
    ...(without_relevant_sessions > 0 && cells.some(({ context }) => context === 'oracle')
      ? [
          `Oracle: ${without_relevant_sessions} of the instances have no session with their factor and preference; their models were given none.`,
        ]
      : []),
    ...fewer(cells, data.instances),
    ...(counted_as_zero === undefined ? [] : [zeroes(counted_as_zero)]),
    ...(prompts.built_in.length > 0
      ? [
          `Prompts: ${prompts.source}, which lacks ${prompts.built_in.join(', ')}: the built-in ones were used.`,
        ]
      : []),
    ...(simulated
      ? ['Simulated: the data, or a model of this evaluation, are simulated: numbers for trying out only.']
      : []),
    ...[...missing].map(
      ([why, count]) =>
        `Missing (${why}): ${count}; missing scores count nowhere, and missing_cause in ${RESULTS.rows} says why.`,
    ),
  ];
}

/** Columns of other instances than all are not to be compared with the rest without a word. */
function fewer(cells: EvaluationResults['cells'], instances: number): string[] {
  const limited = cells.flatMap(({ task, model, context, all: { counts } }) => {
    const own = counts.scored + counts.context_length + counts.missing + counts.open;
    return own < instances ? [`${task} by ${model} (${context}): ${own} of ${instances} instances`] : [];
  });
  return [...new Set(limited)].map((line) => `Limited (--limit, --types): ${line}.`);
}

function zeroes(counted: NonNullable<EvaluationResults['counted_as_zero']>): string {
  const { empty_inferences, failed_matches, zero_scores } = counted;
  return `Reference-compatible: answers are read and summed as the reference program does. Without a usable answer, and counted as nothing or 0: ${empty_inferences} inferences, ${failed_matches} matches, ${zero_scores} scores.`;
}
