import {
  type DataFigures,
  type GuessFigure,
  type SampledFigure,
  type ShareFigure,
} from '../../schemas/dataset/data-figures';
import { type Guess, GUESS_TEXTS, GUESSES } from '../../schemas/dataset/guess';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatPercent, type Interval } from '../../schemas/text/numbers';
import { formatNames } from '../../schemas/text/value-text';
import { buildTextTable, type Table } from '../../schemas/text/table';
import { formatCode, renderMarkdownTable } from './markdown';

export interface FigureText {
  readonly key: keyof DataFigures;
  /** Present for `guesses`. */
  readonly guess?: Guess;
  readonly name: string;
  readonly value: string;
  /** 95% confidence interval; empty if there is none. */
  readonly interval: string;
  /** Values that need a look, such as `above 2 %`; empty if none is known. */
  readonly limit: string;
  readonly isOutside: boolean;
}

/** Renders the quality figures of a data set as a table, below what weakens its choices; docs/data-quality.md explains them. */
export function renderFigures(figures: DataFigures): string {
  return [
    ...describeWeakChoices(figures),
    renderMarkdownTable(buildFigureTable(figures)),
    INTERVAL_NOTE,
  ].join('\n\n');
}

/** Builds the table of all quality figures. */
export function buildFigureTable(figures: DataFigures): Table {
  return buildTextTable(
    ['Quality', 'Here', '95 %'],
    listFigures(figures).map(({ name, value, interval }) => [name, value, interval]),
  );
}

/** Explains the intervals of the figures to readers who wonder why they are so wide. */
export const INTERVAL_NOTE =
  'The 95 % intervals are over personas, because what belongs to one persona is similar. Where a share is 0 or 100 %, each persona counts once, however many dialogues or messages were counted: for example, with none in 8 personas, the true share may be up to 32 %.';

/** Lists all figures in a fixed order; `unknown` for a figure without data. */
export function listFigures(figures: DataFigures): FigureText[] {
  const { preferenceInRequest, relevantPositions, entropy } = figures;
  const describe = (name: string, key: KeyOf<ShareFigure>, unit: string, limit?: Limit) =>
    describeShare(name, key, figures[key], unit, limit);
  return [
    describe("Requests with half of the preference's words or more", 'leakage', 'request', { above: 0.02 }),
    {
      key: 'preferenceInRequest',
      ...checkLimit(preferenceInRequest?.mean, { above: 0.2 }),
      name: "Preference's words in the request, mean (most)",
      value:
        preferenceInRequest === undefined
          ? UNKNOWN
          : `${formatPercent(preferenceInRequest.mean)} % (${formatPercent(preferenceInRequest.maximum)} %)`,
      interval: '',
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
    {
      key: 'relevantPositions',
      ...NO_LIMIT,
      name: `Mean position of relevant sessions (${INSTANCE_TYPES.join(', ')})`,
      value: INSTANCE_TYPES.map((type) => relevantPositions[type]?.mean.toFixed(1) ?? UNKNOWN).join(', '),
      interval: '',
    },
    ...GUESSES.map((guess) => describeGuess(guess, figures.guesses?.[guess])),
    describe('Instances without a choice', 'withoutChoice', 'instance', { above: 0 }),
    describe('Personas with two nearly equal options', 'nearlyEqualOptions', 'persona', { above: 0 }),
    describe('Personas whose preference does not change', 'unchangedPreference', 'persona', { above: 0 }),
    describeSampled('Distinct-2 of 200 user messages', figures, 'distinct2', 3),
    describeSampled('Compression ratio of 200 user messages', figures, 'compressionRatio', 1),
    describe('Personas with the name of another one', 'repeatedNames', 'persona', { above: 0.05 }),
    describe('Personas described nearly as an earlier one', 'nearDuplicatePersonas', 'persona', { above: 0 }),
    {
      key: 'entropy',
      ...checkLimit(entropy && Math.min(...Object.values(entropy)), { below: 0.8 }, (value) =>
        value.toFixed(1),
      ),
      name: 'Entropy of factor, preference and task types (at most 1)',
      value:
        entropy === undefined
          ? UNKNOWN
          : [entropy.factorTypes, entropy.preferenceTypes, entropy.taskTypes]
              .map((value) => value.toFixed(2))
              .join(', '),
      interval: '',
    },
  ];
}

/** Describes what weakens choices, in Markdown: shortcuts, and personas without distinct options. */
export function describeWeakChoices(figures: DataFigures): string[] {
  const personas = figures.nearlyEqualOptions?.pairs.map(({ persona_id: persona }) => persona);
  return [
    ...describeShortcuts(figures),
    ...formatAffectedPersonas('Two options are nearly equal, or one negates the other', personas),
    ...formatAffectedPersonas(
      'The changed preference equals the original one',
      figures.unchangedPreference?.personas,
    ),
  ];
}

/** Describes the guesses that are right more often than by chance: their whole interval lies above it. */
export function describeShortcuts({ guesses = {} }: Pick<DataFigures, 'guesses'>): string[] {
  return GUESSES.flatMap((guess) => {
    const figure = guesses[guess];
    if (figure === undefined || figure.interval.low <= figure.chance) return [];
    const { share, chance, interval } = figure;
    return [
      `A model that always chooses ${GUESS_TEXTS[guess]} is right in ${formatPercent(share)} % of the choices (95 %: ${formatInterval(interval)}; chance: ${formatPercent(chance)} %).`,
    ];
  });
}

function formatAffectedPersonas(problem: string, personas: readonly string[] = []): string[] {
  return personas.length === 0 ? [] : [`${problem}: ${formatNames(personas.map(formatCode))}.`];
}

function describeGuess(guess: Guess, figure: GuessFigure | undefined): FigureText {
  const fields = {
    key: 'guesses',
    guess,
    name: `Choices where ${GUESS_TEXTS[guess]} is right`,
    limit: 'above chance',
  } as const;
  if (figure === undefined) return { ...fields, value: UNKNOWN, interval: '', isOutside: false };
  const { share, chance, interval } = figure;
  return {
    ...fields,
    isOutside: interval.low > chance,
    value: `${formatPercent(share)} % (chance ${formatPercent(chance)} %)`,
    interval: formatInterval(interval),
  };
}

const UNKNOWN = 'unknown';

type KeyOf<Figure> = {
  [Key in keyof DataFigures]-?: NonNullable<DataFigures[Key]> extends Figure ? Key : never;
}[keyof DataFigures];

function describeShare(
  name: string,
  key: KeyOf<ShareFigure>,
  figure: ShareFigure | undefined,
  unit: string,
  limit: Limit = {},
): FigureText {
  const fields = { key, name, ...checkLimit(figure?.share, limit) };
  if (figure === undefined) return { ...fields, value: UNKNOWN, interval: '' };
  const { share, count, total, interval } = figure;
  return {
    ...fields,
    value: `${formatPercent(share)} % (${formatNumber(count)} of ${formatCount(total, unit)})`,
    interval: formatInterval(interval),
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
): Pick<FigureText, 'limit' | 'isOutside'> {
  if (above !== undefined)
    return { limit: `above ${format(above)}`, isOutside: value !== undefined && value > above };
  if (below !== undefined)
    return { limit: `below ${format(below)}`, isOutside: value !== undefined && value < below };
  return NO_LIMIT;
}

function formatInterval({ low, high }: Interval): string {
  return `${formatPercent(low)}–${formatPercent(high)} %`;
}

function describeSampled(
  name: string,
  figures: DataFigures,
  key: KeyOf<SampledFigure>,
  decimals: number,
): FigureText {
  const figure = figures[key];
  const fields = { key, name, ...NO_LIMIT };
  if (figure === undefined) return { ...fields, value: 'fewer than 200', interval: '' };
  const { mean, interval } = figure;
  return {
    ...fields,
    value: mean.toFixed(decimals),
    interval:
      interval === undefined ? '' : `${interval.low.toFixed(decimals)}–${interval.high.toFixed(decimals)}`,
  };
}
