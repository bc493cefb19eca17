import { renderAnalyses } from '../../../../runs/tables/results-text';
import type { AnalysisInputs } from '../../../../runs/tables/analyses';
import type { ResultCell } from '../../../../schemas/evaluation/results';
import type { EvaluatorName } from '../../../../schemas/evaluation/results/keys';
import type { StressValue } from '../../../../schemas/evaluation/results/studies';
import {
  formatPercent,
  formatScore,
  formatProbability,
  formatSigned,
  formatSignedInterval,
} from '../../../../schemas/text/numbers';
import { computeAnalyses } from '../../../../rules/analyses/analyses';
import { computeErrorShares } from '../../../../rules/analyses/errors';
import { computeJudgeReliability } from '../../../../rules/analyses/judge-reliability';
import { compareWithLabels } from '../../../../rules/analyses/labels';
import { computeStress } from '../../../../rules/analyses/stress';
import { MOST_WORDS } from '../../../../rules/analyses/overlong';
import { summarize } from '../../../../rules/scores/summary';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { CONTEXT_FORMS } from '../../../../schemas/evaluation/context';
import { expectGolden } from '../../../golden';
import { buildGeneration, buildInference, buildInferenceOf, markMissing } from '../../rules/analyses/rows';

const A = 'simulated:a';
const B = 'simulated:b';
const C = 'simulated:c';

const PAPER_CELL: ResultCell = {
  task: 'generation',
  model: 'simulated:a',
  context: 'full',
  evaluator: 'simulated:judge',
  evaluator_form: 'judge',
  decomposer: null,
  setup: { data: 'paper', prompts: 'paper', judge: 'paper' },
  all: {
    counts: { scored: 0, context_length: 0, missing: 0, open: 0, missing_counts: [] },
    n_personas: 0,
    inference: null,
    generation: null,
    choice: null,
  },
  by_type: {},
};

/** Returns the content of results.json for these rows. */
function analysed(
  rows: readonly ScoreRow[],
  {
    referenceCompatible = false,
    ...studies
  }: Partial<AnalysisInputs['analyses']> & { referenceCompatible?: boolean } = {},
): AnalysisInputs {
  const { differences, context_differences, reference_compatible } = summarize(rows, {
    seed: 1,
    resamples: 20,
    referenceCompatible,
  });
  return {
    tokenizer: 'o200k_base',
    cells: [PAPER_CELL],
    differences,
    context_differences,
    ...(reference_compatible === undefined ? {} : { reference_compatible }),
    analyses: { ...computeAnalyses(rows), data_sets: [], ...studies },
  };
}

/** A second instance, different in everything that analyses group by. */
const SECOND: Partial<ScoreRow> = {
  persona_id: '2+cook',
  instance_type: 'changing',
  relevant_position: 6,
  prior_tokens: 9000,
};

const PREFMATCHER = { evaluator: 'simulated:pm', evaluator_form: 'prefmatcher' } as const;

function listSections(given: AnalysisInputs): string[] {
  return renderAnalyses(given)
    .join('\n')
    .split('\n\n\n')
    .map((text) => text.trimStart());
}

function titles(given: AnalysisInputs): (string | undefined)[] {
  return listSections(given).map((text) => text.split('\n')[0]);
}

describe('an analysis with nothing to show is left out', () => {
  test('of one model, context, matcher and synthesizer there are positions and words only', () => {
    expect(titles(analysed([buildInferenceOf(0.5)]))).toEqual([
      'By position of the relevant sessions (figure 3)',
      'Inferences over 30 words',
    ]);
  });

  test('two instances of unlike length add the lengths, a second model the differences', () => {
    const rows = [A, B].flatMap((model) => [
      buildInferenceOf(0.5, { model }),
      buildInferenceOf(0.5, { ...SECOND, model }),
    ]);
    expect(titles(analysed(rows))).toEqual([
      'Models against each other',
      'By position of the relevant sessions (figure 3)',
      'Instance types at the same positions',
      'By length of the history (figure 9)',
      'Inferences over 30 words',
    ]);
  });

  test('without rows there are no lines', () => {
    expect(renderAnalyses(analysed([]))).toEqual([]);
  });

  test('contexts of a task that has but one do not appear beside those of the other task', () => {
    const rows = [
      buildInferenceOf(0.5),
      buildInferenceOf(0.5, { context: 'none' }),
      buildGeneration(5, { context: 'preference' }),
    ];
    const contexts = listSections(analysed(rows)).find((text) => text.startsWith('Contexts'));
    expect(contexts?.match(/^(Inference|Generation),/gm)).toEqual(['Inference,']);
  });
});

/** Three models, contexts that only some of them have, and something missing. */
const ROWS: readonly ScoreRow[] = [
  ...[A, B, C].flatMap((model, at) => [
    buildInferenceOf(0.25 * (at + 1), { model, synthesizer: A }),
    buildGeneration(4 + at * at, { model }),
  ]),
  ...[A, B].flatMap((model) => [
    buildInferenceOf(0.5, { model, context: 'none' }),
    buildInferenceOf(0.5, { ...SECOND, model, synthesizer: null, inferred_words: MOST_WORDS + 1 }),
    buildGeneration(2, { model, context: 'none' }),
  ]),
  buildInferenceOf(0.75, { context: 'summary' }),
  { ...markMissing(buildInferenceOf(0, { ...SECOND, context: 'summary' })), missing_step: 'infer' },
  buildGeneration(7, { context: 'preference' }),
];

/** Three models by two matchers. */
const MATCHED = [A, B, C].flatMap((model, at) => [
  buildInferenceOf(0.25 * (at + 1), { model }),
  buildInferenceOf(0.2 * (at + 1), { model, ...PREFMATCHER }),
]);

const STUDIES = {
  error_types: computeErrorShares([
    { ...buildInference(), type: 'Vagueness' },
    { ...buildInference(), type: 'Incorrect Context' },
    { ...buildInference(), type: null },
    { ...buildInference({ model: B }), type: null },
  ]),
  human_labels: compareWithLabels(
    [
      {
        preference: 'Short answers.',
        checklist: ['short', 'plain', 'dated'],
        labels: [
          ['Fully Covered', 'Fully Covered', 'Not Covered'],
          ['Not Covered', 'Not Covered', 'Not Covered'],
          ['Not Covered', 'Partially Covered', 'Fully Covered'],
        ],
      },
    ],
    [
      {
        evaluator: A,
        evaluator_form: 'evaluator',
        labels: [['Fully Covered', 'Not Covered', 'Not Covered']],
      },
      { evaluator: B, evaluator_form: 'prefmatcher', labels: [null] },
    ],
  ),
  judge_reliability: computeJudgeReliability([
    { evaluator: A, scores: [5, 6, 7], response_tokens: 100 },
    { evaluator: A, scores: [9, null, 9], response_tokens: 300 },
    { evaluator: B, scores: [4, null], response_tokens: null },
  ]),
  stress: buildStress(A, 3),
};

test('the tables of all analyses, with – where there is no number', () => {
  const sections = listSections(analysed(ROWS, { ...STUDIES, referenceCompatible: true }));
  const matchers = listSections(analysed(MATCHED)).filter((text) => text.startsWith('Matchers'));
  expectGolden('analyses.txt', `${[...sections, ...matchers].join('\n\n\n')}\n`);
});

test('a stress test without answers is left out', () => {
  const stress = computeStress([], [], { requested: 3, sampled: 2 });
  expect(renderAnalyses(analysed([], { stress }))).toEqual([]);
});

test("with another set-up than the paper's, nothing of the paper is shown", () => {
  const results = analysed([...ROWS, ...MATCHED], { error_types: STUDIES.error_types });
  const other: ResultCell = { ...PAPER_CELL, setup: { ...PAPER_CELL.setup, judge: 'other (openai:o1)' } };
  const listPaperLines = (...cells: ResultCell[]) =>
    renderAnalyses({ ...results, cells }).filter((line) => /paper|DeepSeek/.test(line));
  expect(listPaperLines(PAPER_CELL)).toHaveLength(4);
  expect(listPaperLines(PAPER_CELL, other)).toEqual([]);
  expect(listPaperLines(PAPER_CELL, { ...other, context: 'none' })).toHaveLength(4);
  expect(listPaperLines()).toEqual([]);
});

/** Returns a stress test of a model as matcher and as judge, on two personas. */
function buildStress(evaluator: string, requested: number) {
  const matcher: EvaluatorName = { evaluator, evaluator_form: 'prefmatcher' };
  const judge: EvaluatorName = { evaluator, evaluator_form: 'judge' };
  const values: StressValue[] = [
    { ...matcher, persona_id: '1', kind: 'true', value: 1 },
    { ...matcher, persona_id: '2', kind: 'true', value: 0.2 },
    { ...matcher, persona_id: '1', kind: 'original', value: 0 },
    { ...matcher, persona_id: '2', kind: 'original', value: null },
    { ...judge, persona_id: '1', kind: 'other-row', value: 7 },
  ];
  return computeStress([matcher, judge], values, { requested, sampled: 2 });
}

describe('the width of the tables', () => {
  const model = 'bedrock:us.anthropic.claude-3-7-sonnet-20250219-v1:0';
  const rows = CONTEXT_FORMS.flatMap((context) =>
    [A, model].flatMap((tested) =>
      [{}, SECOND].flatMap((instance) => {
        const given = { ...instance, context, model: tested };
        return [
          buildInferenceOf(1, given),
          buildInferenceOf(1, { ...given, evaluator: model, evaluator_form: 'prefmatcher' }),
          buildGeneration(10, given),
        ];
      }),
    ),
  );
  const lines = renderAnalyses(
    analysed(rows, {
      error_types: computeErrorShares([{ ...buildInference({ model }), type: 'Hallucination' }]),
      judge_reliability: computeJudgeReliability([{ evaluator: model, scores: [1, 10], response_tokens: 1 }]),
      human_labels: compareWithLabels([], [{ evaluator: model, evaluator_form: 'prefmatcher', labels: [] }]),
      stress: buildStress(model, 300),
    }),
  );

  test('nothing but names of evaluators goes beyond 100 columns', () => {
    expect(lines.filter((line) => line.length > 100 && !line.includes(`matched by ${model}`))).toEqual([]);
  });

  test('a long name stands above its numbers where it would widen the table too much', () => {
    const at = lines.indexOf(
      model,
      lines.findIndex((line) => line.startsWith('Inference against')),
    );
    expect(lines[at + 1]).toBe(
      '             100.0 10.00  100.0 10.00  100.0 10.00  100.0 10.00  100.0 10.00',
    );
  });
});

describe('numbers as text', () => {
  test('a difference that rounds to nothing has no sign', () => {
    expect([0.0004, -0.0004, 0].map((difference) => formatSigned(difference, formatPercent))).toEqual([
      '0.0',
      '0.0',
      '0.0',
    ]);
    expect([0.0006, -0.0006, null].map((difference) => formatSigned(difference, formatPercent))).toEqual([
      '+0.1',
      '-0.1',
      '–',
    ]);
    expect(formatSignedInterval({ low: -0.004, high: 1.5 }, formatScore)).toBe('0.00 to +1.50');
  });

  test('a p below 0.001 is shown as such, one that is not known is not', () => {
    expect([0.00099, 0.001, 1, null].map(formatProbability)).toEqual(['<0.001', '0.001', '1.000', '–']);
  });
});
