// The bundle of a page leaves out what is not used of a namespace, which is most of zod.
import * as z from 'zod';
import { decideVerdicts, VERDICT_NAMES } from '../../rules/verification/summary';
import { TELLING_SHARE } from '../../rules/texts/preference-in-request';
import { LABELLED_STATES } from '../../schemas/review/label-texts';
import type { CountedVerdicts } from '../../schemas/verification/verification';
import type { ListedInstance, ListedScore, ResultColumn } from './answers';
import { readChosen } from './columns';

const text = z.string().trim().min(1).optional().catch(undefined);
const number = z.string().trim().min(1).transform(Number).pipe(z.number()).optional().catch(undefined);

const DATA_FAILURES = [
  'unsatisfied',
  'first-answer',
  'turn-limit',
  'leakage',
  'quoting',
  'unselected',
  'untouched',
  'no-choice',
  'bad-answers',
] as const;
const RESULT_FAILURES = ['missing', 'context-length', 'open'] as const;

/** Filter of the list, as in the page's address. Invalid parts are ignored. */
export const filterSchema = z.object({
  /** Text to find in any message or the request. */
  q: text,
  persona: text,
  /** Ids of personas, a line each. */
  personas: text,
  type: text,
  factor: text,
  factorType: text,
  preference: text,
  preferenceType: text,
  task: text,
  minLength: number,
  maxLength: number,
  verdict: z
    .enum([
      'accepted',
      'rejected',
      'undecided',
      'unverified',
      'not-solvable',
      'not-challenging',
      'not-contrasting',
    ])
    .optional()
    .catch(undefined),
  /** The decision of raters; `differ` if they disagree. */
  labels: z.enum(LABELLED_STATES).optional().catch(undefined),
  failure: z
    .enum([...DATA_FAILURES, ...RESULT_FAILURES])
    .optional()
    .catch(undefined),
  /** A guess that finds the right option. */
  guess: text,
  /** Ids of the chosen columns. */
  columns: text,
  minScore: number,
  maxScore: number,
  outcome: z.enum(['win', 'tie', 'loss']).optional().catch(undefined),
  sort: z.enum(['length', 'leakage', 'score', 'disagreement']).optional().catch(undefined),
});

/** Filter of the list of instances with results in these columns. */
export interface Filter extends Omit<z.infer<typeof filterSchema>, 'columns'> {
  /**
   * Numbers of the chosen columns. The scores of the first one are filtered and sorted; the second is compared with it. Absent for all.
   */
  readonly columns?: readonly number[] | undefined;
}

/** Reads the filter in the page's address. Columns that are not among these are left out. */
export function readFilter(
  query: Readonly<Record<string, string>>,
  columns: readonly ResultColumn[],
): Filter {
  const numbers = readChosen(query, columns).map(({ number: columnNumber }) => columnNumber);
  return { ...filterSchema.parse(query), columns: numbers.length === 0 ? undefined : numbers };
}

/** An instance in the index: the facts for lists and filters, and where to read the rest. */
export interface IndexedInstance extends Omit<ListedInstance, 'scores' | 'verdict' | 'labels'> {
  readonly key: string;
  readonly place: number;
  readonly preference: string;
  /** Its texts in the search file. */
  readonly texts: readonly number[];
}

/** An instance with the facts that filters and orders need. */
export interface KnownInstance {
  readonly row: IndexedInstance;
  readonly verdicts: CountedVerdicts | undefined;
  readonly labels: ListedInstance['labels'];
  readonly scores: readonly ListedScore[];
  /** Largest difference between scores of one task in these columns, or in all, from 0 to 1; -1 if no task has two scores. */
  readonly spread: (columns?: readonly number[]) => number;
}

export function matchesFilter({ row, verdicts, labels, scores }: KnownInstance, filter: Filter): boolean {
  const { minLength = 0, maxLength = Infinity, minScore, maxScore } = filter;
  return (
    contains(row.persona, filter.persona) &&
    (filter.personas === undefined || filter.personas.split('\n').includes(row.persona)) &&
    contains(row.factor, filter.factor) &&
    contains(row.preference, filter.preference) &&
    isEqual(row.type, filter.type) &&
    isEqual(row.factorType, filter.factorType) &&
    isEqual(row.preferenceType, filter.preferenceType) &&
    isEqual(row.task, filter.task) &&
    row.length >= minLength &&
    row.length <= maxLength &&
    hasVerdict(verdicts, filter.verdict) &&
    hasLabels(labels, filter.labels) &&
    hasFailure(row, scores, filter) &&
    (filter.guess === undefined || row.guesses?.some((guess) => guess === filter.guess) === true) &&
    ((minScore === undefined && maxScore === undefined) ||
      isBetween(getScore(scores, filter), minScore, maxScore)) &&
    hasOutcome(scores, filter)
  );
}

/** Result of a comparison of two scores of an instance. */
export type ScoreOutcome = NonNullable<Filter['outcome']>;

/** Compares the scores of two columns on an instance. Returns undefined if one of them is missing. */
export function compareScores(
  scores: readonly ListedScore[],
  firstColumn: number,
  secondColumn: number,
): ScoreOutcome | undefined {
  const [first, second] = [firstColumn, secondColumn].map((column) =>
    getScore(scores, { columns: [column] }),
  );
  if (first === undefined || second === undefined) return undefined;
  return first === second ? 'tie' : first > second ? 'win' : 'loss';
}

/** Returns the rows in the order that the filter names, or else in that of the data. */
export function sortInstances(
  rows: readonly IndexedInstance[],
  filter: Filter,
  findKnown: (row: IndexedInstance) => KnownInstance,
): readonly IndexedInstance[] {
  const { sort } = filter;
  if (sort === undefined) return rows;
  const value = (row: IndexedInstance): number => {
    if (sort === 'length') return -row.length;
    if (sort === 'leakage') return -row.leakage;
    const { scores, spread } = findKnown(row);
    return sort === 'score' ? (getScore(scores, filter) ?? Infinity) : -spread(filter.columns);
  };
  const values = new Map(rows.map((row) => [row, value(row)]));
  // The sort is stable: rows with the same value keep the order of the data.
  return rows.toSorted((a, b) => compareNumbers(values.get(a) ?? 0, values.get(b) ?? 0));
}

/** Compares two numbers. Equal ones are handled first, because the difference of two infinities is NaN. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function contains(value: string, part: string | undefined): boolean {
  return part === undefined || value.toLowerCase().includes(part.toLowerCase());
}

function isEqual(value: string | undefined, expected: string | undefined): boolean {
  return expected === undefined || value === expected;
}

function hasVerdict(verdicts: CountedVerdicts | undefined, verdict: Filter['verdict']): boolean {
  if (verdict === undefined) return true;
  if (verdicts === undefined) return verdict === 'unverified';
  const denied = VERDICT_NAMES.find((name) => verdict === `not-${name}`);
  return denied === undefined ? decideVerdicts(verdicts) === verdict : verdicts[denied] === 'no';
}

/** Returns whether raters brought an instance into this state so far. Any state if none is named. */
export function hasLabels(labels: KnownInstance['labels'], state: Filter['labels']): boolean {
  if (state === undefined) return true;
  return state === 'differ' ? labels?.differ === true : (labels?.state ?? 'none') === state;
}

function hasFailure(
  row: IndexedInstance,
  scores: readonly ListedScore[],
  { failure, columns }: Filter,
): boolean {
  if (failure === undefined) return true;
  const state = RESULT_FAILURES.find((name) => name === failure);
  if (state === undefined) return DATA_FAILURES.some((name) => name === failure && FAILS[name](row));
  return scores.some(
    (score) => score.state === state && (columns === undefined || columns.includes(score.column)),
  );
}

const FAILS: Readonly<Record<(typeof DATA_FAILURES)[number], (row: IndexedInstance) => boolean>> = {
  unsatisfied: ({ unsatisfied }) => unsatisfied > 0,
  'first-answer': ({ firstAnswers }) => firstAnswers > 0,
  'turn-limit': ({ turnLimits = 0 }) => turnLimits > 0,
  leakage: ({ leakage }) => leakage >= TELLING_SHARE,
  quoting: ({ quoting = 0 }) => quoting > 0,
  unselected: ({ unselected = 0 }) => unselected > 0,
  untouched: ({ untouched = 0 }) => untouched > 0,
  // Only a run knows its choices.
  'no-choice': ({ badAnswers, guesses }) => badAnswers !== undefined && guesses === undefined,
  'bad-answers': ({ badAnswers = 0 }) => badAnswers > 0,
};

function hasOutcome(
  scores: readonly ListedScore[],
  { columns: [firstColumn, secondColumn] = [], outcome }: Filter,
): boolean {
  if (outcome === undefined || firstColumn === undefined || secondColumn === undefined) return true;
  return compareScores(scores, firstColumn, secondColumn) === outcome;
}

function getScore(
  scores: readonly ListedScore[],
  { columns: [column = 0] = [] }: Pick<Filter, 'columns'>,
): number | undefined {
  return scores.find((score) => score.column === column)?.value ?? undefined;
}

function isBetween(score: number | undefined, minimum = -Infinity, maximum = Infinity): boolean {
  return score !== undefined && score >= minimum && score <= maximum;
}
