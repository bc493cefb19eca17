import { writeSentences } from '../../../../runs/tables/sentences';
import { summarize } from '../../../../rules/scores/summary';
import { analyzeMemory, computeMemoryShares } from '../../../../rules/analyses/memory';
import type { SharedName } from '../../../../schemas/evaluation/results/shared-names';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import {
  buildInferenceRow,
  buildJudgedRow,
  buildMatchedRow,
  buildMissingRow,
  buildTooLongRow,
} from '../../rules/scores/rows';

const DATA = {
  argument: 'out',
  source: 'out/test.parquet',
  files: [],
  sha256: 'ab',
  instances: 2,
  simulated: true,
};

/** Returns the sentences of these rows; each column has the errors of its evaluator. */
function write(rows: readonly ScoreRow[], sharedName?: SharedName): string[] {
  const { cells, differences, context_differences } = summarize(rows, { seed: 1, resamples: 200 });
  const share = { share: 0.25, interval: { low: 0.1, high: 0.5 }, count: 1, total: 4 };
  return writeSentences({
    data: DATA,
    differences,
    context_differences,
    memory: { name: 'memory:bm25.py', budget_tokens: 100, ...computeMemoryShares(rows, 100) },
    analyses: { memory: analyzeMemory(rows, 100) },
    cells: cells.map((cell) => ({
      ...cell,
      setup: { data: 'paper', prompts: 'paper' },
      ...(cell.task === 'generation' && {
        evaluator_errors: { false_acceptance_rate: share, false_rejection_rate: null },
      }),
      ...(sharedName !== undefined && { shared_names: [sharedName] }),
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

test('an extended history stands with what it was made of, and its difference to the own history', () => {
  const rows = (['full', 'full@128k'] as const).flatMap((context, at) =>
    ['1+a', '2+b'].map((persona_id) => buildJudgedRow(6 - 2 * at, { persona_id, context })),
  );
  expect(write(rows)[1]).toContain(
    'The history is extended to at most 128k tokens with sessions of other personas; the difference to the own history is -2.00 (95 % interval by persona: -6.60 to +5.23) over 2 instances.',
  );
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

test('a number stands with who answered, with what the memory returned, and with what counts as 0', () => {
  const memory = { context: 'memory', memory_tokens: 200 } as const;
  const rows = [
    buildMatchedRow('F', 'F', { persona_id: '1+a', ...memory }),
    buildTooLongRow(1, { persona_id: '2+b', ...memory, memory_tokens: 0 }),
  ];
  const answered_by = ['v2', 'v1', 'v3'].map((model) => ({ model, n_answers: 1 }));
  const [sentence] = write(rows, { role: 'model', name: 'openai:one', answered_by });
  expect(sentence).toMatch(
    / on 2 instances of out\/test\.parquet; 1 of them over the context length, counted as 0\. /,
  );
  expect(sentence).toMatch(
    / openai:one: answers came from v2, v1 and v3\. In place of the history, the model was given the contexts of memory:bm25\.py, of at most 100 tokens; 50\.0 % were cut at the budget and 50\.0 % were empty\.$/,
  );
});

/** Builds inferences of 8 personas by a model, with these labels by persona. */
const infer = (model: string, labels: readonly string[], context: ScoreRow['context'] = 'full') =>
  Array.from({ length: 8 }, (_, persona) =>
    buildMatchedRow(labels[persona % labels.length] ?? '', 'FF', {
      model,
      context,
      persona_id: `${persona}`,
    }),
  );
const pairOf = (...rows: ScoreRow[][]) =>
  write(rows.flat()).filter((sentence) => sentence.includes(' at inference'));

describe('two models', () => {
  test('the better one is named, with the difference over the instances that both have', () => {
    // None of 8 differs: of all, 3.8416 / 11.8416 may, each to a difference of −100.
    expect(pairOf(infer('a:one', ['NN']), infer('b:two', ['FF']))).toEqual([
      'b:two is better than a:one at inference, matched by openai:evaluator, decomposed by openai:decomposer, context full: +100.0 micro F1 (95 % interval by persona: 35.1 to 100.0), 8 instances of 8 personas: clear, though 8 personas are few.',
    ]);
  });

  test('what is not clear says that 8 personas are too few to tell how many would be needed; equal models need none', () => {
    const [sentence] = pairOf(
      infer('a:one', ['FF', 'NN', 'FN', 'NF']),
      infer('b:two', ['FN', 'FN', 'FF', 'NF']),
    );
    expect(sentence).toMatch(
      /^b:two and a:one are not distinguishable at inference, .*, context full: \d+\.\d micro F1 \(95 % interval by persona: -\d+\.\d to \d+\.\d\), 8 instances of 8 personas, too few to tell how many would be needed\.$/,
    );
    expect(pairOf(infer('a:one', ['FN']), infer('b:two', ['FN']))[0]).toMatch(
      / 8 instances of 8 personas\.$/,
    );
  });

  test('models without a common instance are not compared, floors and models without a number are left out', () => {
    const first = buildMatchedRow('F', 'F', { model: 'a:one', persona_id: '1+a' });
    const second = buildMatchedRow('F', 'F', { model: 'b:two', persona_id: '2+b' });
    expect(pairOf([first, second])).toEqual([
      'a:one and b:two cannot be compared at inference, matched by openai:evaluator, decomposed by openai:decomposer, context full: no instance has a score of both.',
    ]);
    expect(pairOf([first, { ...second, persona_id: '1+a' }])[0]).toMatch(
      /: an interval needs at least two personas that both have\.$/,
    );
    expect(pairOf([first, buildMissingRow('infer', { model: 'b:two', persona_id: '1+a' })])).toEqual([]);
    expect(pairOf(infer('a:one', ['FN'], 'none'), infer('b:two', ['FF'], 'none'))).toEqual([]);
  });
});
