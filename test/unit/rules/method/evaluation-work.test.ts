import {
  selectRows,
  buildMatchTurn,
  getSpecNumber,
  buildPairTurn,
  buildStudyId,
  listTrials,
  buildTrialWork,
} from '../../../../rules/method/evaluation-work';
import { OutdatedPlan } from '../../../../schemas/run/outdated-plan';
import type { StudyWork } from '../../../../schemas/evaluation/studies';
import type { Cell, Selection } from '../../../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import { ALL, buildGenerationCell, buildInferenceCell } from '../trials/cells';

const INDEX = [1, 2].flatMap((persona) =>
  INSTANCE_TYPES.map((type, at) => ({
    persona_id: `${persona}+baker`,
    instance_type: type,
    number: 3 * (persona - 1) + at + 1,
    split: persona === 1 ? ('train' as const) : ('test' as const),
  })),
);
const ONE = 'openai:one';
const TWO = 'openai:two';
const JUDGE = 'openai:judge';
const OTHER = 'openai:other';

const keys = (cells: Cell[], index = INDEX.slice(0, 2)) =>
  listTrials({ models: [ONE, TWO], evaluators: [JUDGE, OTHER], cells }, index).map(
    ({ instance, model, context, cells: own }) => `${instance} ${model} ${context} ${own.length}`,
  );

describe('trials', () => {
  test('cells of the same model and context share a trial, whatever their task and evaluator', () => {
    expect(keys([buildInferenceCell(), buildGenerationCell(), buildGenerationCell({ by: OTHER })])).toEqual([
      '1 1 full 3',
      '2 1 full 3',
    ]);
  });

  test('come by instance, then by model, then by what the model is given, in the order of the cells', () => {
    const cells = [
      buildInferenceCell({ model: TWO }),
      buildInferenceCell({ context: 'none' }),
      buildInferenceCell(),
      buildGenerationCell({ context: 'preference' }),
    ];
    expect(keys(cells)).toEqual([
      '1 1 none 1',
      '1 1 full 1',
      '1 1 preference 1',
      '1 2 full 1',
      '2 1 none 1',
      '2 1 full 1',
      '2 1 preference 1',
      '2 2 full 1',
    ]);
  });

  test('have only the cells whose selection takes the instance, and are left out when none does', () => {
    const cells = [
      buildInferenceCell({ selection: { ...ALL, limit: 1 } }),
      buildGenerationCell({ selection: { limit: null, types: ['changing'] } }),
    ];
    expect(keys(cells, INDEX)).toEqual(['1 1 full 1', '3 1 full 1', '6 1 full 1']);
  });

  test('a selection takes the first so many of its types, in the order of the data', () => {
    expect(selectRows(ALL, INDEX, undefined)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(selectRows({ limit: 3, types: ['changing', 'consistent'] }, INDEX, {})).toEqual([1, 3, 4]);
    expect(selectRows({ limit: 9, types: ['contrastive'] }, INDEX, {})).toEqual([2, 5]);
  });

  test('a selection takes the personas of its split and of its list, and then the first so many', () => {
    const lists = { one: ['1+baker'], both: ['1+baker', '2+baker'], none: [] };
    const select = (selection: Partial<Selection>) => selectRows({ ...ALL, ...selection }, INDEX, lists);
    expect(select({ split: 'test' })).toEqual([4, 5, 6]);
    expect(select({ split: 'test', limit: 1 })).toEqual([4]);
    expect(select({ split: 'validation' })).toEqual([]);
    expect(select({ list: 'one', types: ['changing'] })).toEqual([3]);
    expect(select({ list: 'both', split: 'train' })).toEqual([1, 2, 3]);
    expect(select({ list: 'one', split: 'test' })).toEqual([]);
    expect(select({ list: 'none' })).toEqual([]);
    // A worker that opened the evaluation before the list was added opens it again.
    expect(() => select({ list: 'other' })).toThrow(OutdatedPlan);
    expect(
      listTrials(
        {
          models: [ONE],
          evaluators: [JUDGE],
          cells: [buildInferenceCell({ selection: { ...ALL, list: 'one' } })],
          lists,
        },
        INDEX,
      ).map(({ instance }) => instance),
    ).toEqual([1, 2, 3]);
  });
});

describe('the work of a trial', () => {
  test('an inference is taken apart once for each decomposer, however many match it, and a response judged once by each', () => {
    const [trial] = listTrials(
      {
        models: [ONE],
        evaluators: [JUDGE, OTHER],
        cells: [
          buildInferenceCell(),
          buildInferenceCell({ by: OTHER, decomposer: JUDGE, form: 'prefmatcher' }),
          buildInferenceCell({ by: OTHER }),
          buildGenerationCell({ by: OTHER }),
          buildGenerationCell(),
        ],
      },
      INDEX.slice(0, 1),
    );
    if (trial === undefined) throw new Error('There is a trial.');
    expect(buildTrialWork({ evaluators: [JUDGE, OTHER] }, trial)).toEqual({
      instance: 1,
      model: 1,
      context: 'full',
      inferences: [
        {
          decomposer: 1,
          matchers: [
            { number: 1, form: 'evaluator' },
            { number: 2, form: 'prefmatcher' },
          ],
        },
        { decomposer: 2, matchers: [{ number: 2, form: 'evaluator' }] },
      ],
      judges: [2, 1],
    });
  });
});

describe('names that stand in journals, and so must never change', () => {
  test('a match says who took apart, who matched in which form, and which list', () => {
    expect(buildMatchTurn(1, { number: 2, form: 'evaluator' }, 'inferred')).toBe('1.e2.inferred');
    expect(buildMatchTurn(3, { number: 2, form: 'prefmatcher' }, 'true')).toBe('3.p2.true');
    expect(buildPairTurn({ number: 2, form: 'prefmatcher' })).toBe('p2');
  });

  test('each piece of a study has a workflow of its own', () => {
    const key = { instance: 4, model: 2, context: 'oracle' } as const;
    const pair = { id: '5a', preference: 'Short.', checklist: ['Is it short?'] };
    const ids = [
      { kind: 'error', ...key, labeller: 1, inference: '0.0' } as const,
      { kind: 'repeats', ...key, judge: 1, times: 3, response: '0.0' } as const,
      { kind: 'repeats', ...key, judge: 2, times: 3, response: '0.0' } as const,
      { kind: 'crossed', ...key, judge: 2, response: '0.0', row: 5 } as const,
      { kind: 'pair', ...pair, matcher: { number: 1, form: 'evaluator' } } as const,
      { kind: 'pair', ...pair, matcher: { number: 1, form: 'prefmatcher' } } as const,
    ].map((work: StudyWork) => buildStudyId('run', work));
    expect(ids).toEqual([
      'run/i4/m2/oracle/error',
      'run/i4/m2/oracle/repeats1',
      'run/i4/m2/oracle/repeats2',
      'run/i4/m2/oracle/on5/j2',
      'run/pair-5a/e1',
      'run/pair-5a/p1',
    ]);
  });

  test('models are numbered from 1 by their place in a list that only grows', () => {
    expect(getSpecNumber([ONE, TWO], TWO)).toBe(2);
    expect(() => getSpecNumber([ONE], TWO)).toThrow('openai:two is not among the models');
  });
});
