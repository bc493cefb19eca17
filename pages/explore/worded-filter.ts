import { GUESS_TEXTS } from '../../schemas/dataset/guess';
import { LABELLED_STATE_TEXTS } from '../../schemas/review/label-texts';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { ResultColumn, ViewChange } from './answers';
import { nameColumn, readChosen } from './columns';
import type { Filter } from './filter';

// The page words the address of a list: a sentence, and a chip for each part that can be removed.

/** Values of a filter in the address, with their texts. */
type Texts<Key extends keyof Filter> = Readonly<Record<Extract<Filter[Key], string>, string>>;

export const VERDICT_TEXTS: Texts<'verdict'> = {
  accepted: 'accepted',
  rejected: 'rejected',
  undecided: 'undecided',
  'not-solvable': 'not solvable',
  'not-challenging': 'not challenging',
  'not-contrasting': 'not contrasting',
  unverified: 'not verified',
};

export const OUTCOME_TEXTS: Texts<'outcome'> = { win: 'better', tie: 'equal', loss: 'worse' };

export const ORDER_TEXTS: Texts<'sort'> = {
  length: 'longest first',
  leakage: 'request reveals most first',
  score: 'lowest score first',
  disagreement: 'most disagreement first',
};

export const FAILURE_TEXTS: Texts<'failure'> = {
  unsatisfied: 'unsatisfied dialogues',
  'first-answer': 'dialogues that ended with the first answer',
  leakage: 'a request that reveals the preference',
  'turn-limit': 'dialogues that ended at the turn limit',
  quoting: 'messages that quote the preference',
  unselected: 'items that the user never selected',
  untouched: 'items that no message touches on',
  'no-choice': 'no choice',
  'bad-answers': 'bad answers',
  missing: 'missing scores',
  'context-length': 'a history over the context length',
  open: 'open scores',
};

/** Failures that are those of scores, not of the data. */
export const SCORE_FAILURES: readonly string[] = ['missing', 'context-length', 'open'];

/** The part of the address that the list depends on. */
type ListQuery = Readonly<Record<string, string>>;

/** A part of the list's address. */
interface FilterChip {
  readonly text: string;
  /** Changes to the address that remove it. */
  readonly remove: ViewChange;
}

interface WordedPart {
  /** Continues "24 instances"; absent for what filters nothing. */
  readonly clause?: string;
  readonly chip: string;
  readonly keys: readonly string[];
}

/** Lists the parts of the address that can be removed, each with its text. Parts that mean nothing are left out. */
export function listChips(query: ListQuery, columns: readonly ResultColumn[]): FilterChip[] {
  return listParts(query, columns).map(({ chip, keys }) => ({
    text: chip,
    // An address without any part is that of the overview.
    remove: { ...Object.fromEntries(keys.map((key) => [key, ''])), from: '0' },
  }));
}

/** Describes the instances of a list in a phrase, such as "24 instances on which hasty is worse than careful". */
export function describeInstances(
  matching: number,
  query: ListQuery,
  columns: readonly ResultColumn[],
): string {
  const parts = listParts(query, columns);
  const clauses = parts.flatMap(({ clause }) => clause ?? []).join(', ');
  const instances = formatCount(matching, 'instance');
  return [
    clauses === '' ? instances : `${instances} ${clauses}`,
    ...parts.flatMap(({ clause, chip }) => (clause === undefined ? [chip] : [])),
  ].join(', ');
}

/** Describes the setting that the chosen scores share; undefined without any. */
export function describeScores(query: ListQuery, columns: readonly ResultColumn[]): string | undefined {
  const chosenColumns = readChosen(query, columns);
  const [first] = chosenColumns;
  if (first === undefined) return undefined;
  const isShared = (key: keyof ResultColumn) => chosenColumns.every((column) => column[key] === first[key]);
  const parts = [
    ...(isShared('task') ? [first.task] : []),
    ...(isShared('context') ? [`context ${first.context}`] : []),
    ...(isShared('evaluator') && first.task !== 'choice' ? [`evaluated by ${first.evaluator}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function listParts(query: ListQuery, columns: readonly ResultColumn[]): WordedPart[] {
  return [...listDataParts(query), ...listScoreParts(query, columns), ...listOrderParts(query)];
}

function listDataParts(query: ListQuery): WordedPart[] {
  const word = (key: string, describe: (value: string) => Omit<WordedPart, 'keys'> | undefined) => {
    const value = query[key]?.trim() ?? '';
    const part = value === '' ? undefined : describe(value);
    return part === undefined ? [] : [{ ...part, keys: [key] }];
  };
  const wordLimit = (key: string, name: string) =>
    word(key, (value) => {
      const limit = readNumber(value);
      return limit === undefined
        ? undefined
        : {
            clause: `with ${name} ${formatNumber(limit)} characters`,
            chip: `${name} ${formatNumber(limit)} characters`,
          };
    });
  return [
    ...word('type', (type) => ({ clause: `of type ${type}`, chip: `type: ${type}` })),
    ...word('persona', (persona) => ({
      clause: `of personas with “${persona}” in their name`,
      chip: `persona: ${persona}`,
    })),
    ...word('personas', (ids) => {
      const text = formatCount(new Set(ids.split('\n')).size, 'persona');
      return { clause: `of ${text}`, chip: text };
    }),
    ...Object.entries(FACT_NAMES).flatMap(([key, name]) =>
      word(key, (value) => ({ clause: `with ${name} “${value}”`, chip: `${name}: ${value}` })),
    ),
    ...word('q', (text) => ({ clause: `with “${text}” in a message`, chip: `message: ${text}` })),
    ...wordLimit('minLength', 'at least'),
    ...wordLimit('maxLength', 'at most'),
    ...word('verdict', (value) => {
      const text = findText(VERDICT_TEXTS, value);
      if (text === undefined) return undefined;
      return { clause: `with the verdict “${text}” of the model`, chip: `verdict of the model: ${text}` };
    }),
    ...word('labels', (value) => {
      const text = findText(LABELLED_STATE_TEXTS, value);
      if (text === undefined) return undefined;
      return { clause: `with the review “${text}”`, chip: `raters: ${text}` };
    }),
    ...word('guess', (value) => {
      const text = findText(GUESS_TEXTS, value);
      if (text === undefined) return undefined;
      return { clause: `where ${text} is right`, chip: `${text} is right` };
    }),
  ];
}

const FACT_NAMES = {
  factor: 'context factor',
  factorType: 'factor type',
  preference: 'preference',
  preferenceType: 'preference type',
  task: 'task',
} as const;

function listScoreParts(query: ListQuery, columns: readonly ResultColumn[]): WordedPart[] {
  const chosenColumns = readChosen(query, columns);
  const [first, second] = chosenColumns;
  const name = (column: ResultColumn) => nameColumn(column, chosenColumns);
  const failure = findText(FAILURE_TEXTS, query['failure']);
  const ofColumns =
    first === undefined || !SCORE_FAILURES.includes(query['failure'] ?? '')
      ? ''
      : ` for ${chosenColumns.map(name).join(' or ')}`;
  const scored = first ?? columns[0];
  const scoredName =
    scored === undefined ? '' : ` of ${nameColumn(scored, first === undefined ? columns : chosenColumns)}`;
  const limits = (
    [
      ['minScore', 'at least'],
      ['maxScore', 'at most'],
    ] as const
  ).flatMap(([key, text]) => {
    const limit = readNumber(query[key]);
    return limit === undefined ? [] : [{ key, text: `a score${scoredName} of ${text} ${limit}` }];
  });
  const outcome =
    first === undefined || second === undefined
      ? undefined
      : describeOutcome(query['outcome'], name(first), name(second));
  return [
    ...(failure === undefined
      ? []
      : [{ clause: `with ${failure}${ofColumns}`, chip: `${failure}${ofColumns}`, keys: ['failure'] }]),
    ...limits.map(({ key, text }) => ({ clause: `with ${text}`, chip: text, keys: [key] })),
    // The scores of a comparison stay until it is removed.
    ...(outcome !== undefined
      ? [{ clause: `on which ${outcome}`, chip: outcome, keys: ['outcome'] }]
      : first === undefined
        ? []
        : [{ chip: `scores of ${chosenColumns.map(name).join(' and ')}`, keys: ['columns'] }]),
  ];
}

function describeOutcome(outcome: string | undefined, first: string, second: string): string | undefined {
  if (outcome === 'tie') return `${first} and ${second} are equal`;
  const text = findText(OUTCOME_TEXTS, outcome);
  return text && `${first} is ${text} than ${second}`;
}

function listOrderParts(query: ListQuery): WordedPart[] {
  const order = findText(ORDER_TEXTS, query['sort']);
  return order === undefined ? [] : [{ chip: order, keys: ['sort'] }];
}

/** Finds the text of a value in the address, which anybody may have written. */
function findText(texts: Readonly<Record<string, string>>, value: string | undefined): string | undefined {
  return value !== undefined && Object.hasOwn(texts, value) ? texts[value] : undefined;
}

function readNumber(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? undefined : value;
}
