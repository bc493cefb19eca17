import { MEASURES } from '../../schemas/evaluation/measure';
import type { Difference } from '../../schemas/evaluation/results/figures';
import type { CellKey, Setting } from '../../schemas/evaluation/results/keys';
import type {
  CellSummary,
  ContextDifference,
  Differences,
  ModelDifference,
} from '../../schemas/evaluation/results/summary';
import type { Interval } from '../../schemas/text/numbers';
import { roundUpToTwoDigits } from '../round-up';
import { getSetting } from '../scores/cells';

/** Difference of the main measure of a task, over the instances that count for both. */
export interface MainDifference extends Difference {
  readonly n_instances: number;
  readonly n_personas: number;
}

/** Returns the difference of the task's main measure; null if no instance counts for both. */
function getMainDifference(differences: Pick<Setting, 'task'> & Differences): MainDifference | null {
  const { task, n_instances, n_personas } = differences;
  const main = differences[MEASURES[task].key];
  return main && { ...main, n_instances, n_personas };
}

/** Finds the first model minus the second in this setting, whichever way it is stored; null if they are not comparable. */
export function findModelDifference(
  differences: readonly ModelDifference[],
  setting: Setting,
  [first, second]: readonly [string, string],
): MainDifference | null {
  const settingKey = formatSetting(setting);
  const ofSetting = differences.filter((difference) => formatSetting(difference) === settingKey);
  return findPair(ofSetting, ({ model, other_model }) => [model, other_model], [first, second]);
}

/** Finds a cell minus the same model in another context, whichever way it is stored; null if they are not comparable. */
export function findContextDifference(
  differences: readonly ContextDifference[],
  { model, ...setting }: CellKey,
  context: CellKey['context'],
): MainDifference | null {
  const settingKey = formatSetting({ ...setting, context });
  const ofModel = differences.filter(
    (difference) => difference.model === model && formatSetting({ ...difference, context }) === settingKey,
  );
  return findPair(ofModel, (difference) => [difference.context, difference.other_context], [
    setting.context,
    context,
  ]);
}

function formatSetting(setting: Setting): string {
  return JSON.stringify(getSetting(setting));
}

function findPair<Entry extends Pick<Setting, 'task'> & Differences>(
  entries: readonly Entry[],
  namesOf: (entry: Entry) => readonly [string, string],
  [first, second]: readonly [string, string],
): MainDifference | null {
  const find = (name: string, counterpart: string) =>
    entries.find((entry) => namesOf(entry)[0] === name && namesOf(entry)[1] === counterpart);
  const stored = find(first, second);
  if (stored !== undefined) return getMainDifference(stored);
  const reverse = find(second, first);
  const difference = reverse === undefined ? null : getMainDifference(reverse);
  return difference && negate(difference);
}

function negate(difference: MainDifference): MainDifference {
  const { interval } = difference;
  return {
    ...difference,
    // Not −0.
    difference: 0 - difference.difference,
    interval: interval && { low: 0 - interval.high, high: 0 - interval.low },
  };
}

/** The best model of a setting. */
interface ComparableBest {
  readonly model: string;
  /** True if another model is exactly as good. */
  readonly isTied: boolean;
  /** Every other scored model minus the best one, in the order of the cells. */
  readonly differences: readonly (MainDifference & { readonly model: string })[];
}

/**
 * Finds the model that is at least as good as each other scored model of its setting, over the instances that count for both. Undefined if a pair
 * has no such instance, no model is best in all of its pairs, or fewer than two have a score: then none may be named.
 */
export function findComparableBest(
  setting: Setting,
  {
    cells,
    differences,
  }: { readonly cells: readonly CellSummary[]; readonly differences: readonly ModelDifference[] },
): ComparableBest | undefined {
  const settingKey = formatSetting(setting);
  const models = cells
    .filter((cell) => formatSetting(cell) === settingKey && isScored(cell))
    .map(({ model }) => model);
  if (models.length < 2) return undefined;
  const ofSetting = differences.filter((difference) => formatSetting(difference) === settingKey);
  for (const model of models) {
    const toBest = models.flatMap((candidate) => {
      if (candidate === model) return [];
      const difference = findModelDifference(ofSetting, setting, [candidate, model]);
      return difference === null || difference.difference > SMALLEST_DIFFERENCE
        ? []
        : [{ model: candidate, ...difference }];
    });
    if (toBest.length < models.length - 1) continue;
    const isTied = toBest.some(({ difference }) => difference > -SMALLEST_DIFFERENCE);
    return { model, isTied, differences: toBest };
  }
  return undefined;
}

function isScored({ all: { inference, generation, choice } }: CellSummary): boolean {
  return (inference?.f1 ?? generation?.average_score ?? choice?.accuracy ?? null) !== null;
}

/** Facts of a comparison whose interval is known: the better model minus the worse one, so the difference is not negative. */
interface ComparedModels {
  readonly better: string;
  readonly worse: string;
  readonly difference: number;
  readonly interval: Interval;
  readonly n_instances: number;
  readonly n_personas: number;
}

/** Result of comparing two models in one setting. */
export type ModelComparison =
  /** The interval does not contain 0. */
  | (ComparedModels & { readonly kind: 'clear' })
  /** The interval contains 0. `better` has the better number, or is the first if the numbers are equal. */
  | (ComparedModels & {
      readonly kind: 'indistinguishable';
      /** About how many personas would make this difference clear; null if there is no difference. */
      readonly personasNeeded: number | null;
    })
  | {
      readonly kind: 'incomparable';
      /** No instance counts for both models, or only those of one persona, which has no interval. */
      readonly reason: 'no-common-instance' | 'one-persona';
      readonly models: readonly [string, string];
    };

/**
 * Number of personas below which an interval is rough, and says too little of how many would be needed: from 20 personas, a variance is known
 * within a factor of about two (95 %), from 4 within one of 14.
 */
export const ENOUGH_PERSONAS = 20;

/** Compares two models by the main measure of their task. */
export function compareModels(stored: ModelDifference): ModelComparison {
  const { model: first, other_model: second } = stored;
  const main = getMainDifference(stored);
  if (main === null) return { kind: 'incomparable', reason: 'no-common-instance', models: [first, second] };
  const isReverse = main.difference < 0;
  const { difference, interval, n_instances, n_personas } = isReverse ? negate(main) : main;
  if (interval === null) return { kind: 'incomparable', reason: 'one-persona', models: [first, second] };
  const [better, worse] = isReverse ? [second, first] : [first, second];
  const facts = { better, worse, difference, interval, n_instances, n_personas };
  if (interval.low > 0) return { kind: 'clear', ...facts };
  return {
    kind: 'indistinguishable',
    ...facts,
    personasNeeded: estimatePersonasNeeded(n_personas, difference, difference - interval.low),
  };
}

/**
 * Estimates the number of personas at which the interval of this difference would exclude 0: its width shrinks with the root of their number. At
 * least one more is needed.
 * @param half width of the interval below the difference
 */
function estimatePersonasNeeded(n_personas: number, difference: number, half: number): number | null {
  if (difference < SMALLEST_DIFFERENCE) return null;
  return roundUpToTwoDigits(Math.max(n_personas + 1, Math.ceil(n_personas * (half / difference) ** 2)));
}

/** Difference below which two numbers are equal: floating-point sums differ in the last digits. */
const SMALLEST_DIFFERENCE = 1e-9;
