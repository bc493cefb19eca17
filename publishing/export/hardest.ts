import { renderStressOf } from '../../data/card/evaluation';
import { DataError } from '../../data/store/data-error';
import { readParsedRows } from '../../data/readers/parquet-table';
import { type InferenceScore, rankByHardness } from '../../rules/scores/hardest';
import { evaluationRowSchema } from '../../schemas/evaluation/evaluation';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { describeRescore, readEvaluationResults } from '../../data/sets/results';
import { requireResults } from './results';
import type { PersonaSelection } from './selection';

/**
 * Selects the personas whose preferences the models of an evaluation inferred worst (paper, F.5), by the inferences with context full.
 * @param results the evaluation's folder
 * @throws DataError when it has no results, or scores of fewer personas
 */
export async function selectHardest(
  results: string,
  count: number,
  signal: AbortSignal | undefined,
): Promise<PersonaSelection> {
  const path = await requireResults(results, 'the hardest personas are selected by its scores.');
  const scores = await readScores(path, signal);
  const ranked = rankByHardness(scores);
  if (ranked.length < count) {
    throw new DataError(
      `${results} has scores of preferences inferred with context full for ${formatCount(ranked.length, 'persona')}, but --hardest asks for ${formatNumber(count)}. ${ranked.length === 0 ? 'Name the results of cupid eval with --task inference (or both) and --context full' : `Use --hardest ${ranked.length} or less`}.`,
    );
  }
  const hardest = ranked.slice(0, count);
  const stress = (await readEvaluationResults(results))?.analyses.stress;
  const models = [...new Set(scores.map(({ model }) => model))].toSorted();
  const personas = new Set(hardest.map(({ persona_id: persona }) => persona));
  return {
    has: (persona) => personas.has(persona),
    check(ids, name) {
      const missing = [...personas].filter((persona) => !ids.has(persona));
      if (missing.length > 0) throw createForeignError(name, missing);
    },
    statement: `These are the ${formatCount(count, 'persona')} of ${formatNumber(ranked.length)} with scores whose preferences were hardest to infer: the mean F1 of their instances over the evaluated models (${models.join(', ')}, with context full) is lowest, at most ${((hardest.at(-1)?.f1 ?? 0) * 100).toFixed(1)} (paper, F.5). ${renderStressOf(stress, ['evaluator', 'prefmatcher'], 'scores').join(' ')}`,
  };
}

function createForeignError(name: string, missing: readonly string[]): DataError {
  return new DataError(
    `${name} lacks ${formatCount(missing.length, 'persona')} of the results, such as ${missing.slice(0, 3).join(', ')}. Name the results of an evaluation on this data set, or on all of it.`,
  );
}

const scoreSchema = evaluationRowSchema.pick({
  persona_id: true,
  model: true,
  task: true,
  context: true,
  state: true,
  f1: true,
});

async function readScores(path: string, signal: AbortSignal | undefined): Promise<InferenceScore[]> {
  const scores: InferenceScore[] = [];
  for await (const { row } of readParsedRows(path, scoreSchema, describeRescore(path))) {
    signal?.throwIfAborted();
    const { persona_id, model, task, context, f1 } = row;
    // An inference that has no F1 is missing or still open.
    if (task === 'inference' && context === 'full' && f1 !== null) {
      scores.push({ persona_id, model, f1 });
    }
  }
  return scores;
}
