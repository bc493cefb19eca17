import {
  type DataFigures,
  type GuessFigure,
  type SampledFigure,
  type ShareFigure,
} from '../../schemas/dataset/data-figures';
import { type Guess, GUESS_TEXTS, GUESSES } from '../../schemas/dataset/guess';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatInterval, formatPercent } from '../../schemas/text/numbers';
import { formatNames } from '../../schemas/text/value-text';
import {
  type NumberForm,
  type Quantity,
  type Table,
  toKnownQuantity,
  toQuantity,
} from '../../schemas/text/table';
import { formatCode, renderMarkdownTable } from './markdown';

/** A number of the quality of a data set. */
export interface QualityFigure {
  readonly key: keyof DataFigures;
  /** Present for `guesses`. */
  readonly guess?: Guess;
  readonly name: string;
  /** With its 95 % interval, if it has one; null without data. */
  readonly value: Quantity;
  /** Counts behind it, such as `3 of 24 requests`; empty if there are none. */
  readonly basis: string;
  /** Values that need a look, such as `above 2 %`; empty if none is known. */
  readonly limit: string;
  readonly isOutside: boolean;
}

/** Renders the quality figures of a data set as a table, below what weakens its choices; docs/data-quality.md explains them. */
export function renderFigures(figures: DataFigures): string {
  return [
    ...describeWeakChoices(figures, formatCode),
    renderMarkdownTable(buildFigureTable(figures)),
    INTERVAL_NOTE,
  ].join('\n\n');
}

/** Builds the table of all quality figures. */
export function buildFigureTable(figures: DataFigures): Table {
  return {
    names: 'Quality',
    columns: [{ title: 'Here' }, { title: 'Counted', isText: true }],
    rows: listFigures(figures).map(({ name, value, basis }) => ({ name, cells: [value, basis] })),
  };
}

/** Explains the intervals of the figures to readers who wonder why they are so wide. */
export const INTERVAL_NOTE =
  'The 95 % intervals are over personas, because what belongs to one persona is similar. Where a share is 0 or 100 %, each persona counts once, however many dialogues or messages were counted: for example, with none in 8 personas, the true share may be up to 32 %.';

/** Lists all figures in a fixed order, also those without data. */
export function listFigures(figures: DataFigures): QualityFigure[] {
  const { preferenceInRequest, relevantPositions, entropy } = figures;
  const describe = (name: string, key: KeyOf<ShareFigure>, unit: string, limit?: Limit) =>
    describeShare(name, key, figures[key], unit, limit);
  return [
    describe("Requests with half of the preference's words or more", 'leakage', 'request', { above: 0.02 }),
    {
      key: 'preferenceInRequest',
      name: "Preference's words in the request, mean",
      value: toKnownQuantity(preferenceInRequest?.mean, 'share'),
      basis: '',
      ...checkLimit(preferenceInRequest?.mean, { above: 0.2 }),
    },
    {
      key: 'preferenceInRequest',
      name: "Preference's words in the request, most",
      value: toKnownQuantity(preferenceInRequest?.maximum, 'share'),
      basis: '',
      ...NO_LIMIT,
    },
    describe('Checklist items selected, once for each relevant dialogue', 'selection', 'checklist item', {
      below: 0.95,
    }),
    describe('Checklist items touched on by words, once for each instance', 'coverage', 'checklist item'),
    describe('User messages that do not quote their preference', 'indirectness', 'message', { below: 0.98 }),
    describe('Dialogues that ended with the first answer', 'endedAtFirstAnswer', 'dialogue', { above: 0.2 }),
    describe('Dialogues that ended without satisfying the user', 'unsatisfiedDialogues', 'dialogue', {
      above: 0.1,
    }),
    describe('Dialogues that ended at the turn limit', 'endedAtTurnLimit', 'dialogue', { above: 0.03 }),
    ...INSTANCE_TYPES.map((type): QualityFigure => {
      const positions = relevantPositions[type];
      return {
        key: 'relevantPositions',
        name: `Mean position of relevant sessions, ${type}`,
        value: toKnownQuantity(positions?.mean, 'mean'),
        basis: positions === undefined ? '' : formatCount(positions.instances, 'instance'),
        ...NO_LIMIT,
      };
    }),
    ...GUESSES.map((guess) => describeGuess(guess, figures.guesses?.[guess])),
    describe('Instances without a choice', 'withoutChoice', 'instance', { above: 0 }),
    describe('Personas with two nearly equal options', 'nearlyEqualOptions', 'persona', { above: 0 }),
    describe('Personas whose preference does not change', 'unchangedPreference', 'persona', { above: 0 }),
    describeSampled('Distinct-2 of 200 user messages', 'distinct2', figures.distinct2, 'coefficient'),
    describeSampled(
      'Compression ratio of 200 user messages',
      'compressionRatio',
      figures.compressionRatio,
      'mean',
    ),
    describe('Personas with the name of another one', 'repeatedNames', 'persona', { above: 0.05 }),
    describe('Personas described nearly as an earlier one', 'nearDuplicatePersonas', 'persona', { above: 0 }),
    ...(['factor', 'preference', 'task'] as const).map((subject): QualityFigure => {
      const value = entropy?.[`${subject}Types`];
      return {
        key: 'entropy',
        name: `Entropy of ${subject} types (at most 1)`,
        value: toKnownQuantity(value, 'score'),
        basis: '',
        ...checkLimit(value, { below: 0.8 }, (limit) => limit.toFixed(1)),
      };
    }),
  ];
}

/**
 * Describes what weakens choices: shortcuts, and personas without distinct options.
 * @param formatPersona formats the id of a persona, which others chose
 */
export function describeWeakChoices(
  figures: DataFigures,
  formatPersona = (persona: string) => persona,
): string[] {
  const equalPairs = figures.nearlyEqualOptions?.pairs ?? [];
  const unchanged = figures.unchangedPreference?.personas ?? [];
  const describe = (problem: string, personas: readonly string[]) =>
    personas.length === 0 ? [] : [`${problem}: ${formatNames(personas.map(formatPersona))}.`];
  return [
    ...describeShortcuts(figures),
    ...describe(
      'Two options are nearly equal, or one negates the other',
      equalPairs.map(({ persona_id: persona }) => persona),
    ),
    ...describe('The changed preference equals the original one', unchanged),
  ];
}

/** Describes the guesses that are right more often than by chance: their whole interval lies above it. */
export function describeShortcuts({ guesses = {} }: Pick<DataFigures, 'guesses'>): string[] {
  return GUESSES.flatMap((guess) => {
    const figure = guesses[guess];
    if (figure === undefined || figure.interval.low <= figure.chance) return [];
    const { share, chance, interval } = figure;
    return [
      `A model that always chooses ${GUESS_TEXTS[guess]} is right in ${formatPercent(share)} % of the choices (95 %: ${formatInterval(interval, formatPercent)} %; chance: ${formatPercent(chance)} %).`,
    ];
  });
}

function describeGuess(guess: Guess, figure: GuessFigure | undefined): QualityFigure {
  return {
    key: 'guesses',
    guess,
    name: `Choices where ${GUESS_TEXTS[guess]} is right`,
    value: toKnownQuantity(figure?.share, 'share', figure?.interval),
    basis: figure === undefined ? '' : `chance ${formatPercent(figure.chance)} %`,
    limit: 'above chance',
    isOutside: figure !== undefined && figure.interval.low > figure.chance,
  };
}

type KeyOf<Figure> = {
  [Key in keyof DataFigures]-?: NonNullable<DataFigures[Key]> extends Figure ? Key : never;
}[keyof DataFigures];

function describeShare(
  name: string,
  key: KeyOf<ShareFigure>,
  figure: ShareFigure | undefined,
  unit: string,
  limit: Limit = {},
): QualityFigure {
  return {
    key,
    name,
    value: toKnownQuantity(figure?.share, 'share', figure?.interval),
    basis: figure === undefined ? '' : `${formatNumber(figure.count)} of ${formatCount(figure.total, unit)}`,
    ...checkLimit(figure?.share, limit),
  };
}

/** A value that is our choice, not a measurement (docs/data-quality.md). */
interface Limit {
  readonly above?: number;
  readonly below?: number;
}

const NO_LIMIT = { limit: '', isOutside: false } as const;

/** Compares a value with the range in which it needs no look. */
function checkLimit(
  value: number | undefined,
  { above, below }: Limit,
  format = (limit: number) => `${limit * 100} %`,
): Pick<QualityFigure, 'limit' | 'isOutside'> {
  if (above !== undefined)
    return { limit: `above ${format(above)}`, isOutside: value !== undefined && value > above };
  if (below !== undefined)
    return { limit: `below ${format(below)}`, isOutside: value !== undefined && value < below };
  return NO_LIMIT;
}

function describeSampled(
  name: string,
  key: KeyOf<SampledFigure>,
  figure: SampledFigure | undefined,
  form: NumberForm,
): QualityFigure {
  return {
    key,
    name,
    value:
      figure === undefined
        ? { value: null, text: 'fewer than 200' }
        : toQuantity(figure.mean, form, { interval: figure.interval }),
    basis: '',
    ...NO_LIMIT,
  };
}
