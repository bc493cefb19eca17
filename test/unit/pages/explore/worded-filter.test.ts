import type { ResultColumn } from '../../../../pages/explore/answers';
import { filterSchema } from '../../../../pages/explore/filter';
import {
  describeInstances,
  describeScores,
  FAILURE_TEXTS,
  listChips,
  ORDER_TEXTS,
  OUTCOME_TEXTS,
  VERDICT_TEXTS,
} from '../../../../pages/explore/worded-filter';

const COLUMNS: readonly ResultColumn[] = (
  [
    ['careful', 'full'],
    ['hasty', 'full'],
    ['hasty', 'none'],
  ] as const
).map(([model, context], number) => ({
  number,
  id: `${number}`,
  model,
  context,
  task: 'inference',
  evaluator: 'openai:evaluator',
  evaluator_form: 'evaluator',
  decomposer: 'openai:evaluator',
  source: 'results',
}));

const describeList = (query: Record<string, string>, matching = 24) =>
  describeInstances(matching, query, COLUMNS);
const listTexts = (query: Record<string, string>) => listChips(query, COLUMNS).map(({ text }) => text);

test('a comparison is worded with its order, and its chips take it apart', () => {
  const query = { columns: '1.0', outcome: 'loss', sort: 'disagreement' };
  expect(describeList(query)).toBe(
    '24 instances on which hasty is worse than careful, most disagreement first',
  );
  expect(describeScores(query, COLUMNS)).toBe('inference, context full, evaluated by openai:evaluator');
  expect(listChips(query, COLUMNS)).toEqual([
    { text: 'hasty is worse than careful', remove: { outcome: '', from: '0' } },
    { text: 'most disagreement first', remove: { sort: '', from: '0' } },
  ]);
  // Scores that are not compared can be removed.
  expect(listTexts({ columns: '1.0' })).toEqual(['scores of hasty and careful']);
  expect(describeList({ columns: '1.2', outcome: 'tie' }, 1)).toBe(
    '1 instance on which hasty, context full and hasty, context none are equal',
  );
  expect(describeScores({ columns: '1.2' }, COLUMNS)).toBe('inference, evaluated by openai:evaluator');
  expect(describeScores({}, COLUMNS)).toBeUndefined();
});

test('filters are joined in one phrase', () => {
  expect(describeList({})).toBe('24 instances');
  expect(describeList({ type: 'changing', columns: '1', failure: 'missing', minScore: '0.5' })).toBe(
    '24 instances of type changing, with missing scores for hasty, with a score of hasty of at least 0.5, scores of hasty',
  );
  expect(describeList({ personas: '1+baker\n2+nurse', q: 'tea', minLength: '2000' }, 0)).toBe(
    '0 instances of 2 personas, with “tea” in a message, with at least 2,000 characters',
  );
  expect(describeList({ failure: 'leakage', verdict: 'not-solvable', guess: 'A' })).toBe(
    '24 instances with the verdict “not solvable” of the model, where option A is right, with a request that reveals the preference',
  );
  // Verdicts have two sources.
  expect(listTexts({ verdict: 'accepted', labels: 'accepted' })).toEqual([
    'verdict of the model: accepted',
    expect.stringMatching(/^raters: /),
  ]);
});

test('each chip removes what filters, and nothing else: then the address filters nothing', () => {
  const query: Record<string, string> = {
    q: 'tea',
    persona: 'baker',
    personas: '1+baker',
    type: 'changing',
    factor: 'tea',
    factorType: 'place',
    preference: 'short',
    preferenceType: 'tone',
    task: 'writing',
    minLength: '1',
    maxLength: '9',
    verdict: 'accepted',
    labels: 'differ',
    failure: 'open',
    guess: 'longest',
    columns: '1.0',
    minScore: '0.1',
    maxScore: '0.9',
    outcome: 'win',
    sort: 'score',
  };
  expect(Object.keys(query).toSorted()).toEqual(Object.keys(filterSchema.shape).toSorted());
  let rest = query;
  for (let [chip] = listChips(rest, COLUMNS); chip !== undefined; [chip] = listChips(rest, COLUMNS)) {
    const { remove } = chip;
    const removed = Object.keys(remove).filter((key) => key !== 'from');
    expect(removed).toHaveLength(1);
    rest = Object.fromEntries(Object.entries(rest).filter(([key]) => !removed.includes(key)));
  }
  expect(rest).toEqual({});
});

test('what means nothing in an address is not worded, and every value of the filter is', () => {
  const senseless = {
    verdict: 'toString',
    failure: 'x',
    outcome: 'win',
    sort: '',
    minLength: 'a',
    columns: '9',
  };
  expect(listTexts(senseless)).toEqual([]);
  const { verdict, outcome, sort, failure } = filterSchema.shape;
  const accepts = (schema: typeof verdict | typeof outcome | typeof sort | typeof failure, texts: object) =>
    Object.keys(texts).filter((value) => schema.parse(value) !== value);
  expect(accepts(verdict, VERDICT_TEXTS)).toEqual([]);
  expect(accepts(outcome, OUTCOME_TEXTS)).toEqual([]);
  expect(accepts(sort, ORDER_TEXTS)).toEqual([]);
  expect(accepts(failure, FAILURE_TEXTS)).toEqual([]);
});
