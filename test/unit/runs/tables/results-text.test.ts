import { renderResultTables } from '../../../../runs/tables/results-text';
import { renderPaperNote } from '../../../../runs/tables/notes';
import type { ResultCell } from '../../../../schemas/evaluation/results';
import type { GroupResult } from '../../../../runs/tables/result-cell';
import { expectGolden } from '../../../golden';

/** A model that the paper tested. */
const GPT = 'openai:gpt-4o-2024-08-07';
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
    n_personas: 252,
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
    n_personas: 252,
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
  test("are a table for each task, context and evaluator, with the paper's numbers beneath a model that it tested so", () => {
    const prefmatcher = {
      evaluator: 'openai-compatible:kixlab/prefmatcher-7b',
      evaluator_form: 'prefmatcher',
    } as const;
    const share = { share: 1 / 8, count: 1, of: 8, interval: { low: 0.0224, high: 0.4709 } };
    const evaluator_errors = { wrong_accepted: share, right_rejected: null };
    const lines = renderResultTables([
      inferenceCell({ evaluator_errors }),
      inferenceCell({ model: 'openai:o1' }),
      inferenceCell({ model: GPT, context: 'none' }),
      inferenceCell({ evaluator: 'openai:gpt-4.1-2025-04-14' }),
      generationCell({ evaluator_errors }),
      ...(['full', 'oracle', 'summary'] as const).flatMap((context) => [
        inferenceCell({ model: GPT, context }),
        inferenceCell({ model: GPT, context, ...prefmatcher }),
      ]),
      ...(['full', 'oracle', 'preference', 'summary'] as const).map((context) =>
        generationCell({ model: GPT, context }),
      ),
    ]);
    expectGolden('result-tables.txt', `${lines.join('\n')}\n`);
  });

  test.each(['data', 'prompts', 'decomposer', 'matcher'] as const)(
    "the paper's numbers are left out where the %s are others, and a note names them",
    (part) => {
      const cells = [
        inferenceCell({
          model: GPT,
          setup: { ...PAPER_INFERENCE, [part]: 'other (mine)' },
        }),
        generationCell({ model: GPT }),
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
    expect(renderPaperNote([inferenceCell({ model: GPT })])).toEqual([]);
    expect(renderPaperNote([inferenceCell({ setup: { ...PAPER_INFERENCE, data: 'other (out)' } })])).toEqual(
      [],
    );
  });

  test('no table is wider than 100 columns, however high the scores', () => {
    const perfect: GroupResult = {
      counts: ALL_SCORED,
      n_personas: 252,
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
