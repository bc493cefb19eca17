import { findDisagreements } from '../../../../rules/analyses/disagreements';
import { buildGeneration, buildInferenceOf, markMissing, markTooLong } from './rows';

const A = { model: 'simulated:a' };
const B = { model: 'simulated:b' };
const C = { model: 'simulated:c' };

test('the instances whose results lie furthest apart come first, the best model of each first', () => {
  const rows = [
    buildInferenceOf(0.5, { ...A, persona_id: '1' }),
    buildInferenceOf(0.6, { ...B, persona_id: '1' }),
    buildInferenceOf(0.1, { ...A, persona_id: '2' }),
    buildInferenceOf(0.9, { ...B, persona_id: '2' }),
  ];
  expect(findDisagreements(rows, 10)).toMatchObject([
    {
      persona_id: '2',
      range: 0.8,
      results: [
        { model: B.model, result: 0.9 },
        { model: A.model, result: 0.1 },
      ],
    },
    {
      persona_id: '1',
      results: [
        { model: B.model, result: 0.6 },
        { model: A.model, result: 0.5 },
      ],
    },
  ]);
  expect(findDisagreements(rows, 1)).toHaveLength(1);
  expect(findDisagreements(rows.toReversed(), 10)).toEqual(findDisagreements(rows, 10));
});

test('they are of the setting with the most models, and inference where several have as many', () => {
  const inferences = [buildInferenceOf(0.1, A), buildInferenceOf(0.9, B)];
  const responses = [buildGeneration(3, A), buildGeneration(9, B)];
  const [both] = findDisagreements([...inferences, ...responses], 10);
  expect(both?.setting.task).toBe('inference');
  const [more] = findDisagreements([...inferences, ...responses, buildGeneration(5, C)], 10);
  expect(more).toMatchObject({ setting: { task: 'generation' }, range: 6 });
});

test('a missing score and a history that is too long are left out, and agreement is no disagreement', () => {
  const missing = [buildInferenceOf(0.4, A), markMissing(buildInferenceOf(0.9, B))];
  expect(findDisagreements(missing, 10)).toEqual([]);
  const tooLong = [buildInferenceOf(0.4, A), markTooLong(buildInferenceOf(0.9, B))];
  expect(findDisagreements(tooLong, 10)).toEqual([]);
  expect(findDisagreements([buildInferenceOf(0.4, A), buildInferenceOf(0.4, B)], 10)).toEqual([]);
  expect(findDisagreements([buildInferenceOf(0.4, A)], 10)).toEqual([]);
});
