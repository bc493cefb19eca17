import { compareModels, ENOUGH_PERSONAS, type ModelComparison } from '../../rules/analyses/model-comparison';
import { groupBy } from '../../rules/group-by';
import { getSetting } from '../../rules/scores/cells';
import { compareKeys } from '../../rules/scores/order';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import type { Task } from '../../schemas/evaluation/evaluation';
import { MEASURES } from '../../schemas/evaluation/measure';
import type { Setting } from '../../schemas/evaluation/results/keys';
import type { CellSummary, ModelDifference } from '../../schemas/evaluation/results/summary';
import { formatCount } from '../../schemas/text/count-text';
import { formatSigned } from '../../schemas/text/numbers';
import { getMainNumber } from './result-cell';
import { formatEvaluation, groupByEvaluation } from './section';

/** A sentence that compares two models in one setting. */
export interface ComparisonSentence {
  readonly text: string;
  readonly setting: Setting;
  /** The model with the better number, then the other one; absent if no instance counts for both. */
  readonly models?: readonly [better: string, worse: string];
}

/** An evaluation whose models are compared. */
interface ComparedEvaluation {
  /** Begins its sentences where there are several evaluations. */
  readonly name?: string | undefined;
  readonly cells: readonly CellSummary[];
  readonly differences: readonly ModelDifference[];
}

/**
 * Writes a sentence for every two models in one setting of an evaluation, the strongest first over all evaluations. Settings with more history come
 * first, clear differences before others, then those of the best models, then those whose interval is farther from 0. Models that cannot be compared
 * come last.
 */
export function writeComparisons<Evaluation extends ComparedEvaluation>(
  evaluations: readonly Evaluation[],
): (ComparisonSentence & { readonly evaluation: Evaluation })[] {
  return evaluations
    .flatMap((evaluation) =>
      rankComparisons(evaluation).map(({ sentence, order }) => ({
        sentence: { ...sentence, evaluation },
        order,
      })),
    )
    .toSorted((a, b) => compareKeys(a.order, b.order))
    .map(({ sentence }) => sentence);
}

/** Writes the sentences of one evaluation, each with the key that orders it. */
function rankComparisons({ name, cells, differences }: ComparedEvaluation) {
  const evaluations = groupByEvaluation(differences);
  const hasOtherEvaluators = ({ task }: Setting) =>
    evaluations.filter((evaluation) => evaluation.task === task).length > 1;
  const findRank = createRanking(cells);
  return differences.map((difference) => {
    const setting = getSetting(difference);
    const comparison = compareModels(difference);
    const models =
      comparison.kind === 'incomparable'
        ? comparison.models
        : ([comparison.better, comparison.worse] as const);
    const description = writeComparison(comparison, setting, hasOtherEvaluators(setting));
    const text = name === undefined ? description : `${name}: ${description}`;
    const sentence: ComparisonSentence = isWithoutInstances(comparison)
      ? { text, setting }
      : { text, setting, models };
    const order = [
      comparison.kind === 'incomparable' ? 1 : 0,
      HISTORY_FORMS.indexOf(setting.context),
      comparison.kind === 'clear' ? 0 : 1,
      ...models.map((model) => findRank(setting, model)),
      -computeStrength(comparison),
    ];
    return { sentence, order };
  });
}

/** Computes how far a difference is from 0, in units of its interval below it; comparable between tasks. */
function computeStrength(comparison: ModelComparison): number {
  if (comparison.kind === 'incomparable' || comparison.difference === 0) return 0;
  const { difference, interval } = comparison;
  return difference / (difference - interval.low);
}

function isWithoutInstances(comparison: ModelComparison): boolean {
  return comparison.kind === 'incomparable' && comparison.reason === 'no-common-instance';
}

/** Creates the lookup of a model's rank in a setting by its own number, from 0. It orders sentences, and none says it. */
function createRanking(cells: readonly CellSummary[]): (setting: Setting, model: string) => number {
  const rankedCells = groupBy(
    cells.toSorted((a, b) => (getMainNumber(b.all).value ?? -1) - (getMainNumber(a.all).value ?? -1)),
    formatSetting,
  );
  return (setting, model) =>
    rankedCells.get(formatSetting(setting))?.findIndex((cell) => cell.model === model) ?? -1;
}

function formatSetting(setting: Setting): string {
  return JSON.stringify(getSetting(setting));
}

/** @param withEvaluator whether the task has other evaluators, so that the sentence names its own */
function writeComparison(comparison: ModelComparison, setting: Setting, withEvaluator: boolean): string {
  const evaluation = withEvaluator ? formatEvaluation(setting) : setting.task;
  return describeComparison(comparison, evaluation, setting.context, (difference) =>
    describeDifference(setting.task, difference),
  );
}

/**
 * Describes which of two models is better in a setting, or why that is unknown, without a stop at the end.
 * @param describe the difference with its interval
 */
export function describeComparison(
  comparison: ModelComparison,
  evaluation: string,
  context: Setting['context'],
  describe: (comparison: MeasuredComparison) => string,
): string {
  const place = `at ${evaluation.charAt(0).toLowerCase()}${evaluation.slice(1)}, context ${context}`;
  if (comparison.kind === 'incomparable')
    return `${comparison.models.join(' and ')} cannot be compared ${place}: ${REASONS[comparison.reason]}`;
  const { better, worse, n_instances, n_personas } = comparison;
  const number = `${describe(comparison)}, ${formatCount(n_instances, 'instance')} of ${formatCount(n_personas, 'persona')}`;
  if (comparison.kind === 'clear') {
    const caution =
      n_personas < ENOUGH_PERSONAS ? `, though ${formatCount(n_personas, 'persona')} are few` : '';
    return `${better} is better than ${worse} ${place}: ${number}: clear${caution}`;
  }
  const { personasNeeded } = comparison;
  const needed =
    personasNeeded === null
      ? ''
      : n_personas < ENOUGH_PERSONAS
        ? ', too few to tell how many would be needed'
        : `; about ${formatCount(personasNeeded, 'persona')} would be needed`;
  return `${better} and ${worse} are not distinguishable ${place}: ${number}${needed}`;
}

const REASONS = {
  'no-common-instance': 'no instance has a score of both',
  'one-persona': 'an interval needs at least two personas that both have',
} as const;

type MeasuredComparison = Extract<ModelComparison, { readonly kind: 'clear' | 'indistinguishable' }>;

function describeDifference(task: Task, { difference, interval }: MeasuredComparison): string {
  const { format } = MEASURES[task];
  return `${formatSigned(difference, format)} ${UNITS[task]} (${format(interval.low)} to ${format(interval.high)})`;
}

const UNITS: Readonly<Record<Task, string>> = {
  inference: 'F1',
  generation: 'points',
  choice: 'points of accuracy',
};
