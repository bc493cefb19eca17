import {
  matchesFilter,
  readFilter,
  sortInstances,
  type IndexedInstance,
} from '../../../../pages/explore/filter';
import type { ListedScore, ResultColumn } from '../../../../pages/explore/answers';
import type { CountedVerdicts, Verdict } from '../../../../schemas/verification/verification';

const ROW: IndexedInstance = {
  key: '',
  place: 1,
  persona: '3+sous_chef',
  type: 'changing',
  factor: 'The head chef, Marco',
  preference: 'Short answers in the imperative.',
  request: 'Write the rota.',
  sessions: 8,
  length: 4_000,
  factorType: 'Person/Group',
  preferenceType: 'Conciseness',
  task: 'Planning',
  unsatisfied: 1,
  badAnswers: 0,
  turnLimits: 1,
  quoting: 0,
  unselected: 2,
  untouched: 0,
  guesses: ['longest', 'B'],
  firstAnswers: 0,
  leakage: 0,
  texts: [],
  version: 1,
};

const SCORES: readonly ListedScore[] = [
  { column: 0, state: 'scored', value: 0.4 },
  { column: 1, state: 'missing', value: null },
  { column: 2, state: 'scored', value: 0.9 },
];

/** Columns with their numbers as ids. */
const COLUMNS = SCORES.map(({ column }): ResultColumn => ({
  number: column,
  id: `${column}`,
  model: `model ${column}`,
  context: 'full',
  task: 'inference',
  evaluator: 'openai:evaluator',
  evaluator_form: 'evaluator',
  decomposer: 'openai:evaluator',
  source: 'results',
}));

const LABELS = { state: 'rejected', differ: true } as const;

function matches(query: Record<string, string>, verdicts?: CountedVerdicts): boolean {
  const known = { row: ROW, verdicts, labels: LABELS, scores: SCORES, spread: () => 0 };
  return matchesFilter(known, readFilter(query, COLUMNS));
}

function judge(solvable: Verdict, challenging: Verdict, contrasting: Verdict | null): CountedVerdicts {
  return {
    persona_id: ROW.persona,
    instance_type: 'changing',
    accepted: [solvable, challenging, contrasting ?? 'yes'].every((verdict) => verdict === 'yes'),
    solvable,
    challenging,
    contrasting,
    solvable_again: null,
    challenging_again: null,
    contrasting_again: null,
  };
}

test.each([
  [{}, true],
  [{ persona: 'CHEF' }, true],
  [{ labels: 'differ' }, true],
  [{ labels: 'rejected' }, true],
  [{ labels: 'accepted' }, false],
  [{ labels: 'none' }, false],
  [{ persona: 'nurse' }, false],
  [{ personas: '1+nurse\n3+sous_chef' }, true],
  [{ personas: '1+nurse\n3+sous' }, false],
  [{ type: 'changing' }, true],
  [{ type: 'consistent' }, false],
  [{ factor: 'marco' }, true],
  [{ factor: 'anna' }, false],
  [{ preference: 'imperative' }, true],
  [{ factorType: 'Person/Group', preferenceType: 'Conciseness', task: 'Planning' }, true],
  [{ factorType: 'Location/Place' }, false],
  [{ task: 'Learning' }, false],
  [{ minLength: '4000', maxLength: '4000' }, true],
  [{ minLength: '4001' }, false],
  [{ maxLength: '3999' }, false],
  [{ failure: 'unsatisfied' }, true],
  [{ failure: 'bad-answers' }, false],
  [{ failure: 'missing' }, true],
  [{ failure: 'missing', columns: '0' }, false],
  [{ failure: 'missing', columns: '0.1' }, true],
  [{ failure: 'first-answer' }, false],
  [{ failure: 'leakage' }, false],
  [{ failure: 'turn-limit' }, true],
  [{ failure: 'quoting' }, false],
  [{ failure: 'unselected' }, true],
  [{ failure: 'untouched' }, false],
  [{ failure: 'no-choice' }, false],
  [{ guess: 'longest' }, true],
  [{ guess: 'A' }, false],
  [{ failure: 'open' }, false],
  [{ minScore: '0.4' }, true],
  [{ minScore: '0.41' }, false],
  [{ maxScore: '0.39' }, false],
  // A missing score is in no range.
  [{ columns: '1', minScore: '0' }, false],
  [{ columns: '0.2', outcome: 'loss' }, true],
  [{ columns: '2.0', outcome: 'win' }, true],
  [{ columns: '2.0', outcome: 'tie' }, false],
  // A missing score wins and loses nothing.
  [{ columns: '0.1', outcome: 'win' }, false],
  // One column is compared with nothing.
  [{ columns: '0', outcome: 'loss' }, true],
  // Columns that the results lack are left out.
  [{ columns: '0.9', outcome: 'loss' }, true],
  [{ columns: '9', failure: 'missing' }, true],
  // Invalid values are ignored.
  [{ minLength: 'long', verdict: 'fine', failure: '', minScore: '' }, true],
])('%j: %j', (query, expected) => {
  expect(matches(query)).toBe(expected);
});

test('verdicts: accepted, rejected for one reason, undecided, not verified', () => {
  const [accepted, rejected, undecided] = [
    judge('yes', 'yes', null),
    judge('yes', 'no', 'unknown'),
    judge('unknown', 'yes', 'yes'),
  ];
  const table = ['accepted', 'rejected', 'undecided', 'not-challenging', 'not-solvable', 'unverified'].map(
    (verdict) => [accepted, rejected, undecided, undefined].map((verdicts) => matches({ verdict }, verdicts)),
  );
  expect(table).toEqual([
    [true, false, false, false],
    [false, true, false, false],
    [false, false, true, false],
    [false, true, false, false],
    [false, false, false, false],
    [false, false, false, true],
  ]);
});

test('orders: of the data, longest, lowest score (those without one last), greatest disagreement', () => {
  const rows = [
    { ...ROW, place: 1, length: 10 },
    { ...ROW, place: 2, length: 30 },
    { ...ROW, place: 3, length: 20 },
    { ...ROW, place: 4, length: 30 },
  ];
  const scores = [0.5, null, 0.1, 0.5];
  const spreads = [-1, 0.2, 0.9, 0.2];
  const sort = (order: string) =>
    sortInstances(rows, readFilter({ sort: order }, COLUMNS), (row) => ({
      row,
      verdicts: undefined,
      labels: undefined,
      scores: [{ column: 0, state: 'scored', value: scores[row.place - 1] ?? null }],
      spread: () => spreads[row.place - 1] ?? 0,
    })).map(({ place }) => place);
  expect(sort('')).toEqual([1, 2, 3, 4]);
  expect(sort('length')).toEqual([2, 4, 3, 1]);
  expect(sort('score')).toEqual([3, 1, 4, 2]);
  expect(sort('disagreement')).toEqual([3, 2, 4, 1]);
});
