import { computeAggregate } from '../../../../rules/scores/aggregate';
import { summarize } from '../../../../rules/scores/summary';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildInferenceRow } from './rows';

/** Builds a choice among four options; the right one is A, and C in a changing row. */
function buildChoiceRow(
  persona: number,
  instance_type: ScoreRow['instance_type'],
  choice: ScoreRow['choice'],
  given: Partial<ScoreRow> = {},
): ScoreRow {
  return buildInferenceRow({
    persona_id: `${persona}+baker`,
    instance_type,
    task: 'choice',
    evaluator: 'none',
    evaluator_form: 'letter',
    decomposer: null,
    state: 'scored',
    n_options: 4,
    true_option: instance_type === 'changing' ? 'C' : 'A',
    choice,
    ...given,
  });
}

const buildPersona = (number: number, choices: readonly ScoreRow['choice'][]) =>
  (['consistent', 'contrastive', 'changing'] as const).map((type, at) =>
    buildChoiceRow(number, type, choices[at] ?? null),
  );

const averages = (rows: readonly ScoreRow[]) => computeAggregate(rows).choice;

test('accuracy, pairs, triples, chance and kinds of errors', () => {
  const rows = [
    ...buildPersona(1, ['right', 'right', 'right']),
    ...buildPersona(2, ['right', 'wrong-context', 'right']),
    ...buildPersona(3, ['right', 'right', 'stale']),
    ...buildPersona(4, ['other', 'other', 'right']),
  ];
  expect(averages(rows)).toEqual({
    accuracy: 8 / 12,
    chance: 0.25,
    paired_accuracy: 0.5,
    paired_chance: 1 / 16,
    n_pairs: 4,
    triple_accuracy: 0.25,
    n_triples: 4,
    errors: { stale: 1 / 12, wrong_context: 1 / 12, other: 2 / 12 },
    n_instances: 12,
  });
});

test('rows whose right options are the same form no pair, and neither does a row alone', () => {
  const [consistent, contrastive, changing] = buildPersona(1, ['right', 'right', 'right']);
  if (consistent === undefined || contrastive === undefined || changing === undefined)
    throw new Error('none');
  expect(averages([consistent, { ...changing, true_option: 'A' }])).toMatchObject({
    n_pairs: 0,
    paired_accuracy: null,
  });
  expect(averages([changing])).toMatchObject({ n_pairs: 0, accuracy: 1 });
  expect(averages([consistent, changing])).toMatchObject({ n_pairs: 1, n_triples: 0, triple_accuracy: null });
  const missing = { state: 'missing', choice: null } as const;
  expect(averages([consistent, { ...changing, ...missing }])).toMatchObject({ n_pairs: 0 });
  expect(averages([{ ...consistent, ...missing }, changing])).toMatchObject({ n_pairs: 0, accuracy: 1 });
});

test('a history that was too long counts as not right, and has no kind of error', () => {
  const rows = [
    buildChoiceRow(1, 'consistent', 'right'),
    buildChoiceRow(1, 'changing', null, { state: 'context-length' }),
  ];
  expect(averages(rows)).toMatchObject({
    accuracy: 0.5,
    n_pairs: 1,
    paired_accuracy: 0,
    errors: { stale: 0, wrong_context: 0, other: 0 },
  });
});

test('with fewer options, chance is higher', () => {
  const rows = [2, 4].flatMap((n_options) =>
    (['consistent', 'changing'] as const).map((type) =>
      buildChoiceRow(n_options, type, 'right', { n_options }),
    ),
  );
  expect(averages(rows)).toMatchObject({ chance: 0.375, paired_chance: (1 / 4 + 1 / 16) / 2 });
});

test.each([
  ['always the same option', ['A'], 0],
  ['one of four options', ['A', 'B', 'C', 'D'], 1 / 16],
  ['the original or the changed preference, equally often', ['A', 'C'], 1 / 4],
  ['the changed preference twice as often', ['A', 'C', 'C'], 2 / 9],
])(
  'a model that ignores the history and draws %s has this paired accuracy',
  (_drawn, answers, paired_accuracy) => {
    // Each pair of answers comes once.
    const rows = answers.flatMap((one, at) =>
      answers.flatMap((other, next) => {
        const persona = at * answers.length + next;
        return [
          buildChoiceRow(persona, 'consistent', one === 'A' ? 'right' : 'other'),
          buildChoiceRow(persona, 'changing', other === 'C' ? 'right' : 'stale'),
        ];
      }),
    );
    expect(averages(rows)).toMatchObject({ paired_accuracy, n_pairs: answers.length ** 2 });
  },
);

test('two models are compared over the pairs that both have', () => {
  const rows = [1, 2, 3].flatMap((number) => buildPersona(number, ['right', 'right', 'right']));
  const others = [
    ...buildPersona(1, ['right', 'right', 'right']),
    ...buildPersona(2, ['right', 'right', 'stale']),
    // Its pair is not compared, since one of its rows has no answer.
    ...buildPersona(3, ['other', 'right', null]).map((row) =>
      row.choice === null ? { ...row, state: 'missing' as const } : row,
    ),
  ].map((row) => ({ ...row, model: 'together:two' }));
  const { differences } = summarize([...rows, ...others], { seed: 1, resamples: 50 });
  expect(differences).toHaveLength(1);
  expect(differences[0]).toMatchObject({
    n_instances: 8,
    f1: null,
    average_score: null,
    accuracy: { difference: 2 / 8 },
    paired_accuracy: { difference: 0.5 },
  });
});
