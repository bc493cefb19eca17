import { computeAnalyses } from '../../rules/analyses/analyses';
import { compareDataSets } from '../../rules/analyses/data-sets';
import { computeErrorShares } from '../../rules/analyses/errors';
import { computeJudgeReliability } from '../../rules/analyses/judge-reliability';
import { compareWithLabels } from '../../rules/analyses/labels';
import { computeMemoryShares } from '../../rules/analyses/memory';
import { computeMisapplication } from '../../rules/analyses/misapplication';
import { computeStress, findErrors } from '../../rules/analyses/stress';
import { summarize } from '../../rules/scores/summary';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { CONTEXT_FORMS } from '../../schemas/evaluation/context';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../schemas/evaluation/evaluation-run';
import { RESULTS_FORMAT, type EvaluationResults } from '../../schemas/evaluation/results';
import type { EvaluatorName } from '../../schemas/evaluation/results/keys';
import type { StressValue } from '../../schemas/evaluation/results/studies';
import { buildGeneration, buildInferenceOf, markMissing } from './rules/analyses/rows';

/** Contexts of the first model: every form, and two with extended histories. */
const CONTEXTS_SHOWN = [...CONTEXT_FORMS, 'full@32k', 'memory@32k', 'preference'] as const;

const MODELS = ['simulated:a', 'simulated:b', 'simulated:c'];
const PREFMATCHER: EvaluatorName = { evaluator: 'simulated:matcher', evaluator_form: 'prefmatcher' };
const JUDGE: EvaluatorName = { evaluator: 'simulated:judge', evaluator_form: 'judge' };
const SHARE = { share: 0.5, total: 6, interval: { low: 0.1, high: 0.9 }, chance: 0.25 };
const DATA = { argument: 'data', source: 'data.parquet', sha256: 'ab'.repeat(32), instances: 9 };

/** Builds results with every field that `results.json` may have: all tasks, contexts and studies, a memory system, and a second data set. */
export function buildFullResults(): EvaluationResults {
  const rows = buildRows();
  const summary = summarize(rows, { seed: 1, resamples: 20, referenceCompatible: true });
  const stress = buildStress();
  const scored = rows.filter(({ task, state }) => task === 'generation' && state === 'scored');
  const { persona_id, instance_type, model, context } = buildInferenceOf(0.1);
  const answer = { persona_id, instance_type, model, context };
  return {
    format: RESULTS_FORMAT,
    simulated: true,
    data: {
      ...DATA,
      commit: '0a1b',
      files: [{ name: 'data.parquet', sha256: 'ab'.repeat(32) }],
      simulated: true,
      earlier: [{ ...DATA, files: [] }],
    },
    settings: evaluationSettingsSchema.parse({
      seed: 1,
      referenceCompatible: true,
      steps: { infer: { reasoningEffort: 'low', body: { top_k: 1 } } },
    }),
    prompts: { source: 'pack', hash: 'cd'.repeat(32), built_in: ['evaluation/preference_chooser'] },
    without_relevant_sessions: 1,
    counted_as_zero: { empty_inferences: 1, failed_matches: 2, zero_scores: 3 },
    memory: { name: 'memory:store', budget_tokens: 2048, ...computeMemoryShares(rows, 2048) },
    models: MODELS,
    evaluators: [JUDGE.evaluator, PREFMATCHER.evaluator],
    tokenizer: 'o200k_base',
    ...summary,
    cells: summary.cells.map((cell) => ({
      ...cell,
      setup: {
        data: 'paper',
        prompts: 'other (pack)',
        decomposer: 'paper',
        matcher: 'paper',
        judge: 'paper',
      },
      ...findErrors(stress.stress, cell),
      shared_names: [
        {
          role: 'model',
          name: cell.model,
          answered_by: [
            { model: 'a-2026', n_answers: 5 },
            { model: 'b-2026', n_answers: 1 },
          ],
        },
      ],
    })),
    analyses: {
      ...computeAnalyses(rows, rows, 2048),
      data_sets: compareDataSets(rows, [{ source: 'older.parquet', rows }], summary.bootstrap),
      shortcuts: [{ source: 'older.parquet', guesses: { longest: SHARE, A: SHARE } }],
      error_types: computeErrorShares([{ ...buildInferenceOf(0.1), type: 'Vagueness' }]),
      labeled_errors: [
        {
          ...answer,
          ...PREFMATCHER,
          decomposer: 'simulated:judge',
          labeler: 'simulated:judge',
          type: 'Vagueness',
          explanation: 'It names no form.',
        },
      ],
      judge_reliability: computeJudgeReliability(
        [1, 2, 4].map((length) => ({
          evaluator: 'simulated:judge',
          scores: [length, 7],
          response_tokens: length,
        })),
      ),
      repeated_scores: [{ ...answer, evaluator: 'simulated:judge', scores: [5, null], response_tokens: 100 }],
      human_labels: compareWithLabels(
        [
          {
            preference: 'Short answers.',
            checklist: ['short', 'dated'],
            labels: [['Fully Covered'], ['Not Covered']],
          },
        ],
        [{ ...PREFMATCHER, labels: [['Fully Covered', 'Not Covered']] }],
      ),
      ...stress,
      misapplication: computeMisapplication(scored.map((row) => ({ ...row, misapplied: 7 }))),
      missing_contrasts: 1,
    },
  };
}

/** Builds rows of a model in every context and task, and of two others in the full one, on the instances of two personas. */
function buildRows(): ScoreRow[] {
  const rows = [0, 1].flatMap((persona) =>
    INSTANCE_TYPES.flatMap((type, place) =>
      MODELS.flatMap((model, number) =>
        (number === 0 ? CONTEXTS_SHOWN : (['full'] as const)).flatMap((context): ScoreRow[] => {
          const level = (persona + place * 2 + number * 3) % 5;
          const given = {
            persona_id: `${persona}+baker`,
            instance_type: type,
            model,
            context,
            relevant_position: 2 + persona / 2,
            prior_tokens: 1_000 * (persona + 1),
            ...((context === 'memory' || context === 'memory@32k') && {
              memory_tokens: 3_000 * persona,
              memory_add_ms: 20,
              memory_query_ms: 30,
              memory_sessions: ['s1'],
              evidence_sessions: ['s1', 's2'],
            }),
          };
          return [
            buildGeneration(1 + level, given),
            buildGeneration(6 - level, { ...given, evaluator: 'simulated:strict' }),
            ...(context === 'preference' ? [] : buildWithOptions(level, given)),
          ];
        }),
      ),
    ),
  );
  const [first, ...others] = rows;
  return first === undefined ? [] : [markMissing(first), ...others];
}

/** Builds the rows of tasks in which no model sees the preference: inference by two matchers, and choice. */
function buildWithOptions(level: number, given: Partial<ScoreRow>): ScoreRow[] {
  return [
    buildInferenceOf(level / 5, given),
    buildInferenceOf((4 - level) / 5, { ...given, ...PREFMATCHER, inferred_words: 40 }),
    buildGeneration(0, {
      ...given,
      task: 'choice',
      evaluator: 'none',
      evaluator_form: 'letter',
      score: null,
      response_tokens: null,
      n_options: 4,
      true_option: given.instance_type === 'changing' ? 'A' : 'B',
      choice: level > 2 ? 'right' : 'stale',
    }),
  ];
}

function buildStress() {
  const values: StressValue[] = [
    { ...PREFMATCHER, persona_id: '0+baker', kind: 'true', value: 1 },
    { ...PREFMATCHER, persona_id: '0+baker', kind: 'original', value: 0 },
    { ...JUDGE, persona_id: '0+baker', kind: 'true', value: 9 },
    { ...JUDGE, persona_id: '0+baker', kind: 'other-row', value: null },
  ];
  return {
    stress: computeStress([PREFMATCHER, JUDGE], values, { requested: 3, sampled: 2 }),
    stress_values: values,
  };
}
