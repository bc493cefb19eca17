import { renderResultTables } from '../../../../cli/eval/result-text';
import { renderPaperNote } from '../../../../pages/report/tables/notes';
import type { GroupResult, ResultCell } from '../../../../pages/report/tables/result-cell';
import { renderTable } from '../../../../cli/terminal/table';

describe('a table of text', () => {
  test('aligns numbers right, keeps groups together, and leaves no spaces at the ends of lines', () => {
    expect(
      renderTable(
        [
          { title: '' },
          { title: 'P', group: 'Inference' },
          { title: 'R', group: 'Inference' },
          { title: 'F1', group: 'Inference' },
          { title: 'score', group: 'Judge' },
          { title: 'n' },
        ],
        [['full', '36.6', '52.1', '43.0', '6.46', '9'], 'a line across all columns', ['none', '1.0', '–']],
      ),
    ).toEqual([
      '      Inference ────  Judge',
      '         P    R   F1  score  n',
      'full  36.6 52.1 43.0   6.46  9',
      'a line across all columns',
      'none   1.0    –',
    ]);
  });

  test("a group's title that is longer than its columns widens them", () => {
    expect(
      renderTable(
        [{ title: '' }, { title: 'x', group: 'Contrastive' }, { title: 'y', group: 'All' }],
        [['a', '1', '2']],
      ),
    ).toEqual(['   Contrastive  All', '             x    y', 'a            1    2']);
  });

  test('has no line of groups without groups', () => {
    expect(renderTable([{ title: 'model' }, { title: 'n' }], [['a', '12']])).toEqual([
      'model   n',
      'a      12',
    ]);
  });
});

const PAPER_INFERENCE = { data: 'paper', prompts: 'paper', decomposer: 'paper', matcher: 'paper' } as const;
const PAPER_GENERATION = { data: 'paper', prompts: 'paper', judge: 'paper' } as const;
const COUNTS = { scored: 750, context_length: 3, missing: 2, open: 1, missing_by: [] };
const ALL_SCORED = { scored: 756, context_length: 0, missing: 0, open: 0, missing_by: [] };
const NO_INTERVALS = { precision: null, recall: null, macro_f1: null };
/** Numbers that no table shows. */
const HIDDEN = {
  n_true_matched: null,
  n_predicted_matched: null,
  n_true: null,
  n_predicted: null,
  n_instances: 753,
  macro: { precision: null, recall: null, f1: null },
};

function inferred(precision: number | null, recall: number | null, f1: number | null): GroupResult {
  return {
    counts: COUNTS,
    inference: {
      ...HIDDEN,
      precision,
      recall,
      f1,
      intervals: { ...NO_INTERVALS, f1: f1 === null ? null : { low: 0.401, high: 0.4594 } },
    },
    generation: null,
    choice: null,
  };
}

function judged(average_score: number | null): GroupResult {
  return {
    counts: ALL_SCORED,
    inference: null,
    choice: null,
    generation: {
      average_score,
      n_instances: 756,
      intervals: { average_score: { low: 6.104, high: 6.996 } },
    },
  };
}

function inferenceCell(cell: Partial<ResultCell> = {}): ResultCell {
  return {
    task: 'inference',
    model: 'simulated:default',
    context: 'full',
    evaluator: 'openai:gpt-4o-2024-11-20',
    evaluator_form: 'evaluator',
    decomposer: 'openai:gpt-4o-2024-11-20',
    setup: PAPER_INFERENCE,
    all: inferred(0.36649, 0.52, 1 / 3),
    by_type: { consistent: inferred(0.1, 0.2, 0.3), changing: inferred(0, null, null) },
    ...cell,
  };
}

function generationCell(cell: Partial<ResultCell> = {}): ResultCell {
  return {
    task: 'generation',
    model: 'simulated:default',
    context: 'full',
    evaluator: 'openai:gpt-4o-2024-11-20',
    evaluator_form: 'judge',
    decomposer: null,
    setup: PAPER_GENERATION,
    all: judged(6.456),
    by_type: { consistent: judged(10), contrastive: judged(null) },
    ...cell,
  };
}

describe('the results', () => {
  test('of inference: percentages by type, the interval of F1, what counts and what is missing; – where there is nothing', () => {
    expect(renderResultTables([inferenceCell()])).toEqual([
      'Inference, context full: micro averages in %',
      'matched by openai:gpt-4o-2024-11-20',
      'same as in the paper: data, prompts, decomposer, matcher',
      '  All ────────────────────  Consistent ───  Contrastive  Changing',
      '     P    R   F1      95 %     P    R   F1       P R F1    P R F1',
      'simulated:default: 753 of 756 instances scored, 2 missing, 3 over the context length, 1 open',
      '  36.6 52.0 33.3 40.1–45.9  10.0 20.0 30.0       – –  –  0.0 –  –',
    ]);
  });

  test('name the errors of their matcher or judge, if it was tested, below it', () => {
    const share = { share: 1 / 8, count: 1, of: 8, interval: { low: 0.0224, high: 0.4709 } };
    const evaluator_errors = { wrong_accepted: share, right_rejected: null };
    for (const cell of [inferenceCell({ evaluator_errors }), generationCell({ evaluator_errors })]) {
      expect(renderResultTables([cell])[2]).toBe(
        'stress test: wrong answers accepted 12.5 % (2.2–47.1), right ones rejected –',
      );
    }
  });

  test("the paper's numbers stand beneath a model that it tested in the same setting, and its source at the end", () => {
    const lines = renderResultTables([
      inferenceCell(),
      inferenceCell({ model: 'openai:gpt-4o-2024-08-07', context: 'full' }),
    ]);
    expect(lines.slice(-4)).toEqual([
      'openai:gpt-4o-2024-08-07: 753 of 756 instances scored, 2 missing, 3 over the context length, 1 open',
      '       36.6 52.0 33.3 40.1–45.9  10.0 20.0 30.0     –    –    –   0.0    –    –',
      'paper  36.6 52.1 43.0         –  36.5 50.1 42.2  32.6 46.4 38.3  40.7 59.7 48.4',
      'paper: https://arxiv.org/abs/2508.01674, on its 756 instances, by openai:gpt-4o-2024-11-20',
    ]);
  });

  test.each(['data', 'prompts', 'decomposer', 'matcher'] as const)(
    "the paper's numbers are left out where the %s are others, and a note names them",
    (part) => {
      const cells = [
        inferenceCell({
          model: 'openai:gpt-4o-2024-08-07',
          setup: { ...PAPER_INFERENCE, [part]: 'other (mine)' },
        }),
        generationCell({ model: 'openai:gpt-4o-2024-08-07' }),
      ];
      const lines = renderResultTables(cells);
      expect(lines.filter((line) => line.startsWith('paper'))).toEqual([
        'paper  6.46          –        5.88         5.75      7.74',
        'paper: https://arxiv.org/abs/2508.01674, on its 756 instances, by openai:gpt-4o-2024-11-20',
      ]);
      expect(lines[2]).toMatch(new RegExp(`^same as in the paper: .*; different from the paper: ${part}$`));
      expect(renderPaperNote(cells)).toEqual([
        expect.stringContaining(
          `only beside results with its set-up. Other here: ${part} (mine). To compare`,
        ),
      ]);
    },
  );

  test('nothing to compare, no note: the same set-up, or a model that the paper did not test', () => {
    expect(renderPaperNote([inferenceCell({ model: 'openai:gpt-4o-2024-08-07' })])).toEqual([]);
    expect(renderPaperNote([inferenceCell({ setup: { ...PAPER_INFERENCE, data: 'other (out)' } })])).toEqual(
      [],
    );
  });

  test.each([
    ['oracle', 'evaluator', 'paper  57.1 77.7 65.8         –', 'openai:gpt-4o-2024-11-20'],
    ['summary', 'evaluator', 'paper  37.7 58.5 45.9         –  37.1', 'openai:gpt-4o-2024-11-20'],
    ['full', 'prefmatcher', 'paper  34.9 52.9 42.0         –  34.0', 'kixlab/prefmatcher-7b'],
    ['oracle', 'prefmatcher', 'paper  56.1 76.5 64.8         –', 'kixlab/prefmatcher-7b'],
  ] as const)('inference, %s, by a matcher of form %s, goes with its own table', (context, form, row, by) => {
    const model = 'openai:gpt-4o-2024-08-07';
    const lines = renderResultTables([inferenceCell({ model, context, evaluator_form: form })]);
    expect(lines.at(-2)).toMatch(new RegExp(`^${row}`));
    expect(lines.at(-1)).toMatch(new RegExp(`, by ${by}$`));
  });

  test.each([
    ['full', 'paper  6.46          –        5.88         5.75      7.74'],
    ['oracle', 'paper  7.79          –           –            –         –'],
    ['preference', 'paper  9.20          –           –            –         –'],
    ['summary', 'paper  6.65          –        6.29         6.13      7.54'],
  ] as const)('generation, %s, goes with its own table', (context, row) => {
    const lines = renderResultTables([generationCell({ model: 'openai:gpt-4o-2024-08-07', context })]);
    expect(lines.at(-2)).toBe(row);
  });

  test.each(['summary', 'none'] as const)('the paper has nothing for a PrefMatcher with %s', (context) => {
    const cell = inferenceCell({ model: 'openai:gpt-4o-2024-08-07', context, evaluator_form: 'prefmatcher' });
    expect(renderResultTables([cell]).filter((line) => line.startsWith('paper'))).toEqual([]);
  });

  test('of generation: mean scores with two decimals', () => {
    expect(renderResultTables([generationCell()])).toEqual([
      'Generation, context full: mean score from 1 to 10',
      'judged by openai:gpt-4o-2024-11-20',
      'same as in the paper: data, prompts, judge',
      '   All       95 %  Consistent  Contrastive  Changing',
      'simulated:default: 756 of 756 instances scored, 0 missing',
      '  6.46  6.10–7.00       10.00            –         –',
    ]);
  });

  test('a table for each task, context and evaluator, its models together', () => {
    const other = 'openai:gpt-4.1-2025-04-14';
    const lines = renderResultTables([
      inferenceCell(),
      inferenceCell({ model: 'openai:o1' }),
      inferenceCell({ context: 'none' }),
      inferenceCell({ evaluator: other }),
      inferenceCell({ evaluator: 'openai-compatible:kixlab/prefmatcher-7b', evaluator_form: 'prefmatcher' }),
      generationCell({ context: 'preference' }),
    ]);
    const starts = [-1, ...[...lines.keys()].filter((at) => lines[at] === '')];
    expect(starts.map((at) => lines.slice(at + 1, at + 3))).toEqual([
      ['Inference, context full: micro averages in %', 'matched by openai:gpt-4o-2024-11-20'],
      ['Inference, context none: micro averages in %', 'matched by openai:gpt-4o-2024-11-20'],
      [
        'Inference, context full: micro averages in %',
        `matched by ${other}, decomposed by openai:gpt-4o-2024-11-20`,
      ],
      [
        'Inference, context full: micro averages in %',
        'matched by openai-compatible:kixlab/prefmatcher-7b (a PrefMatcher), decomposed by openai:gpt-4o-2024-11-20',
      ],
      ['Generation, context preference: mean score from 1 to 10', 'judged by openai:gpt-4o-2024-11-20'],
    ]);
    expect(lines.filter((line) => /^(simulated:default|openai:o1): /.test(line))).toHaveLength(6);
  });

  test('no table is wider than 100 columns, however high the scores', () => {
    const perfect: GroupResult = {
      counts: ALL_SCORED,
      inference: {
        ...HIDDEN,
        precision: 1,
        recall: 1,
        f1: 1,
        intervals: { ...NO_INTERVALS, f1: { low: 1, high: 1 } },
      },
      generation: null,
      choice: null,
    };
    const model = 'bedrock:us.anthropic.claude-3-7-sonnet-20250219-v1:0';
    const by_type = { consistent: perfect, contrastive: perfect, changing: perfect };
    const lines = renderResultTables([inferenceCell({ model, all: perfect, by_type })]);
    expect(lines.some((line) => line.includes('100.0–100.0'))).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('nothing evaluated gives no lines', () => {
    expect(renderResultTables([])).toEqual([]);
  });
});
