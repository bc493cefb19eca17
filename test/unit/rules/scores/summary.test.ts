import * as fc from 'fast-check';
import { summarize } from '../../../../rules/scores/summary';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import {
  buildGenerationRow,
  buildInferenceRow,
  buildJudgedRow,
  buildMatchedRow,
  buildMissingRow,
  someRows,
} from './rows';

const SMITH = { persona_id: '8+smith' };
const options = { seed: 42, resamples: 50, referenceCompatible: true };

test('rows in any order give the same bytes', () => {
  const shuffled = someRows.chain((rows) =>
    fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
  );
  fc.assert(
    fc.property(shuffled, ([rows, otherwise]) => {
      expect(JSON.stringify(summarize(otherwise, options))).toBe(JSON.stringify(summarize(rows, options)));
    }),
  );
});

test('the last digit of a mean does not depend on the order of its rows', () => {
  // 0.1 + 0.2 + 0.3 is 0.6000000000000001, 0.3 + 0.2 + 0.1 is 0.6.
  const rows = [1, 2, 3].map((tenths) => {
    const covered = 'F'.repeat(tenths).padEnd(10, 'N');
    return buildMatchedRow(covered, covered, { persona_id: `${tenths}+baker` });
  });
  const plainSum = (order: typeof rows) => order.reduce((sum, { f1 }) => sum + (f1 ?? 0), 0);
  const mean = (order: typeof rows) => summarize(order, options).cells[0]?.all.inference?.macro.f1;
  expect(plainSum(rows.toReversed())).not.toBe(plainSum(rows));
  expect(mean(rows.toReversed())).toBe(mean(rows));
});

test('another missing or open row changes the counts, and neither averages nor intervals nor differences', () => {
  fc.assert(
    fc.property(someRows, fc.boolean(), (some, isOpen) => {
      const rows = [buildMatchedRow('F', 'FN', SMITH), buildJudgedRow(5, SMITH), ...some];
      const newcomer = { persona_id: '9+newcomer', n_predicted: 4, n_true: 4 };
      const row = isOpen ? buildInferenceRow(newcomer) : buildMissingRow('match', newcomer);
      const settings = { ...options, referenceCompatible: false };
      const [before, after] = [rows, [...rows, row]].map((all) => summarize(all, settings));
      const scores = (summary = before) =>
        summary?.cells.map(({ all, by_type }) =>
          [all, ...INSTANCE_TYPES.map((type) => by_type[type])].map(withoutCounts),
        );
      expect(scores(after)).toEqual(scores());
      expect(after?.differences).toEqual(before?.differences);
      expect(after).not.toEqual(before);
    }),
  );
});

function withoutCounts(group: ReturnType<typeof summarize>['cells'][number]['all'] | undefined) {
  return { inference: group?.inference, generation: group?.generation };
}

test('cells stand in order of task, model and context, each with its types that have rows', () => {
  const { cells, bootstrap, reference_compatible } = summarize(
    [
      buildJudgedRow(7, { model: 'a', context: 'preference' }),
      buildMatchedRow('F', 'F', { model: 'b' }),
      buildMatchedRow('F', 'F', { model: 'a', context: 'none' }),
      buildMatchedRow('F', 'N', { model: 'a', instance_type: 'changing' }),
      buildInferenceRow({ model: 'a' }),
    ],
    { seed: 7 },
  );
  expect(bootstrap).toEqual({ seed: 7, resamples: 2000 });
  expect(reference_compatible).toBeUndefined();
  expect(
    cells.map(({ task, model, context, by_type }) => [task, model, context, Object.keys(by_type)]),
  ).toEqual([
    ['inference', 'a', 'full', ['consistent', 'changing']],
    ['inference', 'a', 'none', ['consistent']],
    ['inference', 'b', 'full', ['consistent']],
    ['generation', 'a', 'preference', ['consistent']],
  ]);
  const [first] = cells;
  expect(first?.all.counts).toMatchObject({ scored: 1, open: 1 });
  expect(first?.by_type.consistent?.inference).toMatchObject({ f1: null, n_instances: 0 });
  expect(first?.by_type.changing?.inference).toMatchObject({ precision: 1, recall: 0, f1: 0 });
});

test('intervals hold the averages that they belong to', () => {
  const rows = Array.from({ length: 30 }, (_, persona) => [
    buildMatchedRow('FPN'.repeat((persona % 3) + 1), persona % 2 === 0 ? 'FP' : 'NNP', {
      persona_id: `${persona}`,
    }),
    buildJudgedRow((persona % 10) + 1, { persona_id: `${persona}` }),
  ]).flat();
  const [inference, generation] = summarize(rows, { seed: 1 }).cells.map(({ all }) => all);
  const averages = [
    [inference?.inference?.recall, inference?.inference?.intervals.recall],
    [inference?.inference?.f1, inference?.inference?.intervals.f1],
    [inference?.inference?.macro.f1, inference?.inference?.intervals.macro_f1],
    [generation?.generation?.average_score, generation?.generation?.intervals.average_score],
  ] as const;
  for (const [average, interval] of averages) {
    expect(interval?.low).toBeLessThan(average ?? Number.NaN);
    expect(interval?.high).toBeGreaterThan(average ?? Number.NaN);
  }
});

test('the reference’s sums take an evaluator’s two tasks together, and PrefMatcher’s with every judge', () => {
  const rows = [
    buildMatchedRow('F', 'F', { evaluator: 'a' }),
    buildGenerationRow({ evaluator: 'a', state: 'missing', missing_step: 'respond' }),
    buildJudgedRow(8, { evaluator: 'b' }),
    buildMatchedRow('F', 'N', { evaluator: 'prefmatcher', evaluator_form: 'prefmatcher' }),
    buildJudgedRow(3, { evaluator: 'c', context: 'oracle' }),
  ];
  const { reference_compatible } = summarize(rows, options);
  expect(reference_compatible).toMatchObject([
    // The failed response excludes the matched inference, too.
    { matcher: { evaluator: 'a' }, judge: 'a', inference: null, generation: null, n_dropped: 1 },
    { matcher: { evaluator_form: 'prefmatcher' }, judge: 'a', inference: null, n_dropped: 1 },
    {
      matcher: { evaluator_form: 'prefmatcher' },
      judge: 'b',
      inference: { recall: 0 },
      generation: { average_score: 8 },
    },
    { matcher: null, judge: 'c', context: 'oracle', generation: { average_score: 3 } },
  ]);
});
