import { renderAnalyses } from '../../../../../cli/eval/result-text';
import type { AnalysisInputs } from '../../../../../pages/report/tables/analyses';
import type { ResultCell } from '../../../../../pages/report/tables/result-cell';
import {
  formatPercent,
  formatScore,
  formatProbability,
  formatSigned,
  formatSignedInterval,
} from '../../../../../schemas/text/numbers';
import { renderTable } from '../../../../../cli/terminal/table';
import { computeAnalyses } from '../../../../../rules/analyses/analyses';
import { computeErrorShares, LOW_F1 } from '../../../../../rules/analyses/errors';
import { computeJudgeReliability } from '../../../../../rules/analyses/judge-reliability';
import { compareWithLabels } from '../../../../../rules/analyses/labels';
import { computeStress, type EvaluatorName, type StressValue } from '../../../../../rules/analyses/stress';
import { MOST_WORDS } from '../../../../../rules/analyses/overlong';
import { summarize } from '../../../../../rules/scores/summary';
import type { ScoreRow } from '../../../../../schemas/evaluation/evaluation';
import { CONTEXTS } from '../../../../../schemas/evaluation/context';
import { buildGeneration, buildInference, buildInferenceOf, markMissing } from '../../../rules/analyses/rows';

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
    counts: { scored: 0, context_length: 0, missing: 0, open: 0, missing_by: [] },
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

/** Returns the lines of the analysis whose title begins so, without blank ones around them; empty if there is none. */
function linesOf(title: string, given: AnalysisInputs): string[] {
  const analyses = renderAnalyses(given).join('\n').split('\n\n\n');
  return (
    analyses
      .map((text) => text.replace(/^\n+/, '').split('\n'))
      .find(([first]) => first?.startsWith(title)) ?? []
  );
}

function paperLines(given: AnalysisInputs): string[] {
  return renderAnalyses(given).filter((line) => /paper|DeepSeek/.test(line));
}

/** A second instance, different in everything that analyses group by. */
const SECOND: Partial<ScoreRow> = {
  persona_id: '2+cook',
  instance_type: 'changing',
  relevant_position: 6,
  prior_tokens: 9000,
};

function titles(given: AnalysisInputs): (string | undefined)[] {
  return renderAnalyses(given)
    .join('\n')
    .split('\n\n\n')
    .map((text) => text.trimStart().split('\n')[0]);
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
    const lines = linesOf('Contexts', analysed(rows));
    expect(lines.filter((line) => line.startsWith('Inference'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('Generation'))).toEqual([]);
  });
});

describe('the tables', () => {
  test('differences: a model above the others, with signs, and – where there is no interval', () => {
    const rows = [
      buildInferenceOf(0.5, { model: A }),
      buildInferenceOf(0.25, { model: B }),
      buildInferenceOf(0.5, { model: C }),
      buildGeneration(4, { model: A }),
      buildGeneration(5, { model: B }),
    ];
    expect(linesOf('Models against', analysed(rows))).toEqual([
      'Models against each other',
      'Each model minus each of the others, over the n instances scored for both; 95 % intervals.',
      '',
      'Inference, matched by simulated:judge',
      '                    Micro F1 ─  Mean F1 ──',
      '                 n      % 95 %      % 95 %',
      'context full',
      '  simulated:a minus',
      '    simulated:b  1  +25.0    –  +25.0    –',
      '    simulated:c  1    0.0    –    0.0    –',
      '  simulated:b minus',
      '    simulated:c  1  -25.0    –  -25.0    –',
      '',
      'Generation, judged by simulated:judge',
      '                 n  score  95 %',
      'context full',
      '  simulated:a minus',
      '    simulated:b  1  -1.00     –',
    ]);
  });

  test('differences: both bounds of an interval, each with its sign', () => {
    const rows = [A, B].flatMap((model) =>
      ['1+baker', '2+cook'].map((persona_id) => buildGeneration(model === A ? 4 : 5, { model, persona_id })),
    );
    expect(linesOf('Models against', analysed(rows)).at(-1)).toBe(
      '    simulated:b  2  -1.00  -1.00 to -1.00',
    );
  });

  test('positions beneath each other, contexts side by side, all models together', () => {
    const rows = [
      buildInferenceOf(0.5),
      buildInferenceOf(1, { model: B }),
      buildInferenceOf(0.25, SECOND),
      buildInferenceOf(0.4, { context: 'summary' }),
      buildGeneration(9),
    ];
    expect(linesOf('By position', analysed(rows)).slice(2)).toEqual([
      '',
      'Inference, matched by simulated:judge',
      '          full ─  summary',
      'position  n   F1   n   F1',
      '4.5       2 75.0   1 40.0',
      '6.0       1 25.0   –    –',
      '',
      'Generation, judged by simulated:judge',
      '          full ──',
      'position  n score',
      '4.5       1  9.00',
    ]);
  });

  test('lengths: the bins side by side with their instances, models beneath their context', () => {
    const rows = [
      buildInferenceOf(0.5),
      buildInferenceOf(0.25, SECOND),
      buildInferenceOf(1, { context: 'none' }),
    ];
    expect(linesOf('By length', analysed(rows))).toEqual([
      'By length of the history (figure 9)',
      'Micro F1 or accuracy (%), or mean score, in bins of equal size, by tokens of o200k_base.',
      '',
      'Inference, matched by simulated:judge',
      '               Most tokens of the prior sessions',
      '                                       8000 9000',
      'instances                                 1    1',
      'context full',
      '  simulated:a                          50.0 25.0',
      'context none',
      '  simulated:a                         100.0    –',
    ]);
  });

  test("tasks: each model's two numbers, their correlation from three models on, and the paper's", () => {
    const rows = [A, B, C].flatMap((model, at) => [
      buildInferenceOf(0.25 * (at + 1), { model }),
      buildGeneration(4 + at * at, { model }),
      ...(model === C
        ? []
        : [
            buildInferenceOf(0.5, { model, context: 'none' }),
            buildGeneration(2, { model, context: 'none' }),
          ]),
    ]);
    expect(linesOf('Inference against', analysed(rows))).toEqual([
      'Inference against generation (figure 5)',
      'Micro F1 (%) and mean score, and their correlation over models (paper: r 0.764, p 0.010).',
      '',
      'matched by simulated:judge; judged by simulated:judge',
      '             full ─────  none ─────',
      '               F1 score    F1 score',
      'simulated:a  25.0  4.00  50.0  2.00',
      'simulated:b  50.0  5.00  50.0  2.00',
      'simulated:c  75.0  8.00     –     –',
      "Pearson's r       0.961           –",
      'p                 0.179           –',
    ]);
  });

  test("with another set-up than the paper's, nothing of the paper is shown", () => {
    const prefmatcher = { evaluator: 'simulated:pm', evaluator_form: 'prefmatcher' } as const;
    const rows = [A, B].flatMap((model) => [
      buildInferenceOf(0.25, { model }),
      buildInferenceOf(0.25, { model, ...prefmatcher }),
      buildGeneration(4, { model }),
    ]);
    const results = analysed(rows, {
      error_types: computeErrorShares([{ ...buildInference(), type: 'Vagueness' }]),
    });
    expect(paperLines(results)).toHaveLength(4);
    const other: ResultCell = { ...PAPER_CELL, setup: { ...PAPER_CELL.setup, judge: 'other (openai:o1)' } };
    expect(paperLines({ ...results, cells: [PAPER_CELL, other] })).toEqual([]);
    expect(paperLines({ ...results, cells: [PAPER_CELL, { ...other, context: 'none' }] })).toHaveLength(4);
    expect(paperLines({ ...results, cells: [] })).toEqual([]);
  });

  test('matchers: the numbers of both, their correlation, and how far their labels agree', () => {
    const prefmatcher = { evaluator: 'simulated:pm', evaluator_form: 'prefmatcher' } as const;
    const rows = [
      ...[A, B, C].map((model, at) => buildInferenceOf(0.25 * (at + 1), { model })),
      ...[A, B, C].map((model, at) => buildInferenceOf(0.2 * (at + 1), { model, ...prefmatcher })),
    ];
    expect(linesOf('Matchers against each', analysed(rows)).slice(2)).toEqual([
      '',
      '(1) simulated:judge',
      '(2) simulated:pm (a PrefMatcher)',
      'decomposed by simulated:judge',
      '                full ──────────',
      '                n F1 (1) F1 (2)',
      'simulated:a     1   25.0   20.0',
      'simulated:b     1   50.0   40.0',
      'simulated:c     1   75.0   60.0',
      "Pearson's r               1.000",
      'p                        <0.001',
      'entries                      12',
      'alpha, nominal            1.000',
      'alpha, ordinal            1.000',
    ]);
  });

  test('people: their own agreement, and that of each matcher with their majority', () => {
    const human_labels = compareWithLabels(
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
    );
    expect(linesOf('Matchers against people', analysed([], { human_labels }))).toEqual([
      'Matchers against people (A.1)',
      "Krippendorff's alpha (paper, on its own labels: people 0.467, GPT-4o 0.769, PrefMatcher 0.748).",
      '',
      'Pairs: 1, entries: 3; dropped without a majority: pairs 0, entries 1',
      '                             entries  missing  nominal  ordinal',
      'people with each other             3        –    0.130    0.185',
      'simulated:a                        2        0    1.000    1.000',
      'simulated:b (a PrefMatcher)        0        2        –        –',
    ]);
  });

  test('contexts: instance types side by side, and what each context is above the full history', () => {
    const rows = [
      buildInferenceOf(0.5),
      buildInferenceOf(0.5, SECOND),
      buildInferenceOf(0.75, { context: 'summary' }),
      markMissing(buildInferenceOf(0, { ...SECOND, context: 'summary' })),
      buildInferenceOf(0.5, { model: B }),
    ];
    expect(linesOf('Contexts', analysed(rows)).slice(2)).toEqual([
      '',
      'Inference, matched by simulated:judge',
      '           All ──────────  Consistent ─  Contrastive  Changing ───',
      '             F1 to full n    F1 to full   F1 to full    F1 to full',
      'simulated:a',
      '  full     50.0       – –  50.0       –    –       –  50.0       –',
      '  summary  75.0   +25.0 1  75.0   +25.0    –       –     –       –',
    ]);
  });

  test('synthesizers: a column for the data of each, * before what a model got on its own data', () => {
    const rows = [
      buildInferenceOf(0.5, { synthesizer: A }),
      buildInferenceOf(0.25, { synthesizer: null }),
      buildInferenceOf(0.75, { model: B, synthesizer: A }),
    ];
    expect(linesOf('Tested models', analysed(rows)).slice(2)).toEqual([
      '',
      'Inference, matched by simulated:judge',
      'data 1: by an unknown model',
      'data 2: by simulated:a',
      '               data 1  data 2',
      'context full',
      '  simulated:a    25.0   *50.0',
      '  simulated:b       –    75.0',
    ]);
  });

  test('words: how many inferences have more than the prompt asks for', () => {
    const rows = [
      buildInference({ inferred_words: MOST_WORDS }),
      buildInference({ ...SECOND, inferred_words: MOST_WORDS + 1 }),
    ];
    expect(linesOf(`Inferences over ${MOST_WORDS} words`, analysed(rows)).slice(1)).toEqual([
      `The prompt asks for ${MOST_WORDS} words at most (figure 21).`,
      '',
      '               inferences  over 30     %  mean words  most words',
      'context full',
      '  simulated:a           2        1  50.0        30.5          31',
    ]);
  });

  test("error types: shares of the labelled, – where none was, and the paper's two models beneath", () => {
    const error_types = computeErrorShares([
      { ...buildInference(), type: 'Vagueness' },
      { ...buildInference(), type: 'Incorrect Context' },
      { ...buildInference(), type: null },
      { ...buildInference({ model: B }), type: null },
    ]);
    expect(linesOf('Error types', analysed([], { error_types }))).toEqual([
      'Error types (table 2)',
      `Share (%) of each type among a sample of inferences with an F1 below ${LOW_F1}, labeled by a model.`,
      '',
      'Inference, matched by simulated:judge',
      '                                     Incorrect  Shallow ─',
      '                  labelled  missing    Context  Inference  Vagueness  Hallucination',
      'context full',
      '  simulated:a            2        1       50.0        0.0       50.0            0.0',
      '  simulated:b            0        1          –          –          –              –',
      'paper, context full, labeled by people',
      '  DeepSeek-R1           50        –       86.0       10.0        2.0            2.0',
      '  Llama 3.1 405B        50        –       40.0       50.0        6.0            4.0',
    ]);
  });

  test('judges: spread, alpha and the pull of length, – where it is not known', () => {
    const judge_reliability = computeJudgeReliability([
      { evaluator: A, scores: [5, 6, 7], response_tokens: 100 },
      { evaluator: A, scores: [9, null, 9], response_tokens: 300 },
      { evaluator: B, scores: [4, null], response_tokens: null },
    ]);
    expect(linesOf('Judges', analysed([], { judge_reliability })).slice(2)).toEqual([
      '',
      '                                 Spread ────────  Alpha ──────────  With length',
      'judge        responses  missing    sd range most  ordinal interval          r p',
      'simulated:a          2        1  0.50  1.00    2    0.747    0.813          – –',
      'simulated:b          0        1     –     –    –        –        –          – –',
    ]);
  });

  test('answers of known truth: what matchers and judges accept by kind, and what is missing or lacking', () => {
    expect(linesOf('Matchers and judges', analysed([], { stress: buildStress(A, 3) }))).toEqual([
      'Matchers and judges on answers of known truth',
      'Accepted (%): recall of at least 50.0 %, score of at least 6. Lacking: not in data or responses.',
      '',
      'Matchers: preferences against the true checklist',
      'Personas: 2 of 3 requested, because the data have no more',
      '                     n  missing  lacking  accepted      95 %  recall',
      'simulated:a (a PrefMatcher)',
      '  right              2        0        0      50.0  5.5–94.5    60.0',
      '  before the change  1        1        0       0.0  0.0–79.3     0.0',
      '  contrastive        0        0        2         –         –       –',
      "  another persona's  0        0        2         –         –       –",
      '  fits everybody     0        0        2         –         –       –',
      '',
      "Judges: responses on the other row's checklist; right ones, on their own, need --oracle-preference",
      'Personas: 2 of 3 requested, because the data have no more',
      '                   n  missing  lacking  accepted        95 %  score',
      'simulated:a',
      '  right            0        0        2         –           –      –',
      "  the other row's  1        0        1     100.0  20.7–100.0   7.00",
    ]);
    expect(titles(analysed([], { stress: computeStress([], [], { requested: 3, sampled: 2 }) }))).toEqual([
      '',
    ]);
  });

  test("the reference program's sums: columns for the tasks that were run, and what was dropped", () => {
    const rows = [
      buildInferenceOf(0.5),
      { ...markMissing(buildInferenceOf(0, SECOND)), missing_step: 'infer' } as const,
      buildGeneration(7, { context: 'preference', evaluator: 'simulated:other' }),
    ];
    expect(linesOf('The reference', analysed(rows, { referenceCompatible: true })).slice(2)).toEqual([
      '',
      'matched by simulated:judge',
      '               Inference ──────',
      '                  P    R   F1 n  dropped',
      'context full',
      '  simulated:a  50.0 50.0 50.0 1        1',
      '',
      'judged by simulated:other',
      '               Generation',
      '                  score n  dropped',
      'context preference',
      '  simulated:a      7.00 1        0',
    ]);
  });
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
  const rows = CONTEXTS.flatMap((context) =>
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

test('a table of a given width puts apart only the first cells that do not fit', () => {
  const columns = [{ title: '' }, { title: 'n' }, { title: 'F1' }];
  const rows = [
    ['simulated:a', '1', '50.0'],
    'a line as long as it likes to be, of any width',
    ['a longer name', '2', '3.0'],
  ];
  expect(renderTable(columns, rows, 21)).toEqual([
    '             n    F1',
    'simulated:a  1  50.0',
    'a line as long as it likes to be, of any width',
    'a longer name',
    '             2   3.0',
  ]);
  expect(renderTable(columns, rows)).toContain('a longer name  2   3.0');
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
