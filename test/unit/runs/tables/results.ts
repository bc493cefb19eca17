import type { ComparedTexts, StoredResults } from '../../../../runs/evaluate/read-results';
import { RESULTS_FORMAT, type EvaluationResults } from '../../../../schemas/evaluation/results';
import { computeAnalyses } from '../../../../rules/analyses/analyses';
import { summarize } from '../../../../rules/scores/summary';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildGeneration, buildInferenceOf } from '../../rules/analyses/rows';

const MODELS = ['openai:gpt-4o-2024-08-06', 'simulated:b', 'simulated:c'];

/** Builds rows of three models and two judges on instances of several lengths, positions and synthesizers. */
export function buildRows(): ScoreRow[] {
  return Array.from({ length: 12 }, (_, at) => at).flatMap((at) =>
    MODELS.flatMap((model, number) => {
      const shared = {
        model,
        persona_id: `${at}+teacher`,
        instance_type: (['consistent', 'contrastive', 'changing'] as const)[at % 3] ?? 'consistent',
        relevant_position: 2 + (at % 4) / 2,
        prior_tokens: 1_000 + 137 * at,
        synthesizer: at % 2 === 0 ? 'simulated:b' : 'simulated:other',
      };
      return [
        buildInferenceOf(((at * 7 + number * 5) % 11) / 10, shared),
        buildGeneration(1 + ((at * 3 + number * 4) % 10), shared),
        buildGeneration(1 + ((at * 2 + number * 3) % 10), { ...shared, evaluator: 'simulated:strict' }),
      ];
    }),
  );
}

/** Builds results as in results.json. @param isPaper whether everything but the models is the paper's */
export function buildResults(rows: readonly ScoreRow[], isPaper = false): EvaluationResults {
  const part = isPaper ? 'paper' : 'other (test)';
  const { cells, ...summary } = summarize(rows, { seed: 1, resamples: 50 });
  return {
    format: RESULTS_FORMAT,
    simulated: true,
    data: { argument: 'data', source: 'data.parquet', files: [], sha256: 'ab'.repeat(32), instances: 12 },
    settings: evaluationSettingsSchema.parse({ seed: 1 }),
    prompts: { source: 'built-in', hash: 'cd'.repeat(32), built_in: [] },
    without_relevant_sessions: 0,
    models: MODELS,
    evaluators: ['simulated:judge'],
    tokenizer: 'o200k_base',
    ...summary,
    cells: cells.map((cell) => ({ ...cell, setup: { data: part, prompts: part } })),
    analyses: { ...computeAnalyses(rows), data_sets: [] },
  };
}

/** Builds the same as it is read, with these texts in every row. */
export function buildStored(
  rows: readonly ScoreRow[],
  texts: Omit<ComparedTexts, keyof ScoreRow> = {},
  isPaper = false,
): StoredResults {
  return {
    results: buildResults(rows, isPaper),
    isComplete: true,
    async *readTexts() {
      for (const row of rows) yield { ...row, ...texts };
    },
  };
}
