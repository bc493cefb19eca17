import { writeSentences } from '../../../../runs/tables/sentences';
import { summarize } from '../../../../rules/scores/summary';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildInferenceRow, buildJudgedRow } from '../../rules/scores/rows';

const DATA = {
  argument: 'out',
  source: 'out/test.parquet',
  files: [],
  sha256: 'ab',
  instances: 2,
  simulated: true,
};

/** Returns the sentences of these rows; each column has the errors of its evaluator. */
function write(rows: readonly ScoreRow[]): string[] {
  const { cells } = summarize(rows, { seed: 1, resamples: 20 });
  const share = { share: 0.25, interval: { low: 0.1, high: 0.5 }, count: 1, of: 4 };
  return writeSentences({
    data: DATA,
    cells: cells.map((cell) => ({
      ...cell,
      setup: { data: 'paper', prompts: 'paper' },
      ...(cell.task === 'generation' && {
        evaluator_errors: { wrong_accepted: share, right_rejected: null },
      }),
    })),
  });
}

test('a number stands with its interval, its floor and ceiling, and the errors of its judge', () => {
  const rows = (['full', 'none', 'preference'] as const).flatMap((context, at) =>
    ['1+a', '2+b'].map((persona_id) => buildJudgedRow(4 + at, { persona_id, context })),
  );
  expect(write(rows)).toEqual([
    'Generation, judged by openai:evaluator, context full: openai:one has mean score 4.00 (95 % interval by persona: 2.03–7.95) on 2 instances of out/test.parquet. Context none: mean score 5.00 (95 % interval by persona: 2.37–8.29). Context preference: mean score 6.00 (95 % interval by persona: 2.71–8.63). In a stress test, the evaluator accepted 25.0 % (95 % interval by persona: 10.0–50.0) of wrong answers.',
  ]);
});

const choose = (
  instance_type: ScoreRow['instance_type'],
  choice: ScoreRow['choice'],
  context: ScoreRow['context'],
) =>
  buildInferenceRow({
    instance_type,
    context,
    task: 'choice',
    evaluator: 'none',
    evaluator_form: 'letter',
    decomposer: null,
    state: 'scored',
    n_options: 4,
    true_option: instance_type === 'changing' ? 'B' : 'A',
    choice,
  });

test('a choice stands with its chance and its pairs; what was not measured is left out', () => {
  const rows = [choose('consistent', 'right', 'full'), choose('changing', 'right', 'full')];
  const sentence =
    'Choice, context full: openai:one has accuracy 100.0 % on 2 instances of out/test.parquet; chance 25.0 %; paired accuracy 100.0 % over 1 persona, chance 6.3 %, and 0 for a model that gives both instances of a pair the same answer.';
  expect(write(rows)).toEqual([sentence]);
  const blind = [choose('consistent', 'right', 'none'), choose('changing', 'stale', 'none')];
  expect(write([...rows, ...blind])).toEqual([
    `${sentence} Context none: accuracy 50.0 %; paired accuracy 0.0 % over 1 persona.`,
  ]);
  expect(write(rows.slice(1))).toEqual([
    'Choice, context full: openai:one has accuracy 100.0 % on 1 instance of out/test.parquet; chance 25.0 %.',
  ]);
});

test('a column without a number has no sentence', () => {
  expect(write([buildInferenceRow({ state: 'open' })])).toEqual([]);
});
