import { type CardEvaluation, withEvaluations } from '../../../../data/card/evaluation';
import type { StressAnalysis } from '../../../../schemas/evaluation/results/studies';
import { buildFullResults } from '../../evaluation-results';

const CARD = '# CUPID\n\n## Quality\n\nGood.\n\n## Limits\n\nSome.\n';
const STRESS: StressAnalysis = {
  n_requested: 10,
  n_personas: 8,
  evaluators: [
    {
      evaluator: 'simulated:judge',
      evaluator_form: 'judge',
      false_acceptance_rate: { share: 0.25, count: 2, total: 8, interval: { low: 0.071, high: 0.591 } },
      false_rejection_rate: null,
      kinds: [],
    },
  ],
};

/** Builds an evaluation whose cells have no shared names. */
function buildEvaluation(stress: StressAnalysis | undefined): CardEvaluation {
  const { models, cells } = buildFullResults();
  return {
    models,
    cells: cells.map(({ shared_names: _names, ...cell }) => cell),
    analyses: stress === undefined ? {} : { stress },
  };
}

test('a card says what the stress test found of each judge and matcher, and which were not tested', () => {
  const card = withEvaluations(CARD, [buildEvaluation(STRESS)]);
  expect(card).toContain('Good.\n\n## Evaluation\n\n3 models were evaluated on this data set');
  expect(card).toContain(
    '- `simulated:judge` as judge accepted 25.0 % (95 %: 7.1–59.1 %) of wrong answers and rejected an unknown share of right ones, in answers about 8 personas.',
  );
  expect(card).toContain('- `simulated:matcher`: not tested, so how often it is wrong is unknown.');
  expect(card).not.toContain('`none`');
  expect(card).not.toContain('several models');
  expect(card).toMatch(/\n\n## Limits\n\nSome\.\n$/);
  // Publishing again replaces the section.
  expect(withEvaluations(card, [buildEvaluation(STRESS)])).toBe(card);
});

test('an evaluation without a stress test says so; who answered under one name is said once', () => {
  expect(withEvaluations(CARD, [buildEvaluation(undefined)])).toContain(
    '- `simulated:judge`: not tested, so how often it is wrong is unknown.',
  );
  const shared = withEvaluations(CARD, [buildFullResults()]);
  expect(shared.split('`simulated:a`: answers came from several models, `a-2026`, `b-2026`.')).toHaveLength(
    2,
  );
});

test('a card says how many contexts of a memory system were cut or empty', () => {
  const share = { share: 0.25, count: 6, total: 24, interval: { low: 0.1, high: 0.5 } };
  const memory = {
    name: 'mine',
    budget_tokens: 2_000,
    cut: share,
    empty: { ...share, share: 0.125, count: 3 },
  };
  const card = withEvaluations(CARD, [{ ...buildEvaluation(undefined), memory }]);
  expect(card).toContain(
    '- `mine`: of 24 contexts, 6 (25.0 %) were cut at the budget of 2,000 tokens, and 3 (12.5 %) were empty.',
  );
});

test('data that were not evaluated keep their card', () => {
  expect(withEvaluations(CARD, [])).toBe(CARD);
});
