import { RESULTS, type EvaluationResults } from '../../evaluations/results';
import { counted, number, pluralize } from '../../schemas/count-text';
import { analysisTables } from './analyses/all';
import { paperNote } from './paper-note';
import { resultTables } from './tables';

/** The result of an evaluation, in lines for a person. */
export function resultLines(results: EvaluationResults): string[] {
  return [...resultTables(results.cells, results.data), '', ...notes(results)];
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
    `Data: ${data.source}, ${counted(data.instances, 'instance')}, SHA-256 ${data.sha256.slice(0, 12)}…`,
    ...(without_relevant_sessions > 0 && cells.some(({ context }) => context === 'oracle')
      ? [
          `Oracle: ${counted(without_relevant_sessions, 'instance')} ${pluralize(without_relevant_sessions, 'has', 'have')} no session with the current factor and preference, so the models saw no history for ${pluralize(without_relevant_sessions, 'it', 'them')}.`,
        ]
      : []),
    ...paperNote({ cells, data, prompts }),
    ...fewer(cells, data.instances),
    ...(counted_as_zero === undefined ? [] : [zeroes(counted_as_zero)]),
    ...(prompts.built_in.length > 0
      ? [
          `Prompts: ${prompts.source}. It lacks ${prompts.built_in.join(', ')}, so the built-in ones were used.`,
        ]
      : []),
    ...(simulated
      ? ['The data or a model of this evaluation is simulated: use these numbers for testing only.']
      : []),
    ...[...missing].map(
      ([why, count]) =>
        `Missing (${why}): ${counted(count, 'score')}. Missing scores are not part of any number; the column missing_cause in ${RESULTS.rows} has the causes.`,
    ),
  ];
}

/** Columns of fewer instances cannot be compared with the others, so they are named. */
function fewer(cells: EvaluationResults['cells'], instances: number): string[] {
  const limited = cells.flatMap(({ task, model, context, all: { counts } }) => {
    const own = counts.scored + counts.context_length + counts.missing + counts.open;
    return own < instances
      ? [`${task} by ${model} (${context}): ${number(own)} of ${counted(instances, 'instance')}`]
      : [];
  });
  return [...new Set(limited)].map((line) => `Limited (--limit, --types): ${line}.`);
}

function zeroes(zero: NonNullable<EvaluationResults['counted_as_zero']>): string {
  const { empty_inferences, failed_matches, zero_scores } = zero;
  return `Reference-compatible: answers are parsed and summed as the reference program does. Answers that could not be used count as empty or 0: inferences ${number(empty_inferences)}, matches ${number(failed_matches)}, scores ${number(zero_scores)}.`;
}
