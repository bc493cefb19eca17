import { describeModel, describeModels } from '../../../../engine/model-facts/known-model';
import { computeStaleDays, findRetirement } from '../../../../engine/model-facts/dates';
import type { ModelEntry } from '../../../../schemas/model/model-table';

const family: ModelEntry = {
  model: 'openai:gpt-6*',
  checked: '2026-01-01',
  source: 'family page',
  temperature: 'rejected',
  seed: 'rejected',
};
const luna: ModelEntry = {
  model: 'openai:gpt-6-luna',
  checked: '2026-07-01',
  source: ['price page', 'dates page'],
  seed: 'accepted',
  retires: '2026-08-01',
  successor: 'gpt-7-luna',
};
const TABLE = [family, luna];

test('each fact of a model stands with the day and the source of the entry that it comes from', () => {
  expect(describeModel('openai:gpt-6-luna', TABLE, '2026-07-02')).toEqual({
    model: 'openai:gpt-6-luna',
    hasEntry: true,
    facts: [
      {
        fact: 'temperature',
        value: 'rejected',
        checkedOn: '2026-01-01',
        ageDays: 182,
        source: ['family page'],
      },
      { fact: 'seed', value: 'accepted', checkedOn: '2026-07-01', source: ['price page', 'dates page'] },
      { fact: 'retires', value: '2026-08-01', checkedOn: '2026-07-01', source: ['price page', 'dates page'] },
      {
        fact: 'successor',
        value: 'gpt-7-luna',
        checkedOn: '2026-07-01',
        source: ['price page', 'dates page'],
      },
    ],
    unknownFacts: [
      'assistantFirst',
      'systemRole',
      'reasoning',
      'tiers',
      'caching',
      'contextWindow',
      'prices',
      'batchPriceShare',
    ],
    retirement: { date: '2026-08-01', hasEnded: false, daysLeft: 30, successor: 'gpt-7-luna' },
  });
});

test('models are listed by their full names; families are no models', () => {
  expect(describeModels(TABLE, '2026-07-02').map(({ model }) => model)).toEqual(['openai:gpt-6-luna']);
});

test('facts are old from the 181st day after they were checked', () => {
  expect(computeStaleDays('2026-01-01', '2026-06-30')).toBeUndefined();
  expect(computeStaleDays('2026-01-01', '2026-07-01')).toBe(181);
});

test('a model ends on its day of retirement, and is about to in the 60 days before', () => {
  expect(on('2026-06-01')).toBeUndefined();
  expect(on('2026-06-02')).toMatchObject({ hasEnded: false, daysLeft: 60 });
  expect(on('2026-07-31')).toMatchObject({ hasEnded: false, daysLeft: 1 });
  expect(on('2026-08-01')).toMatchObject({ hasEnded: true });
  expect(findRetirement(family, '2026-08-01')).toBeUndefined();
});

function on(today: string) {
  return findRetirement(luna, today);
}
