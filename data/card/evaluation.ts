import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import type { EvaluatorErrors, StressAnalysis } from '../../schemas/evaluation/results/studies';
import type { ShareFigure } from '../../schemas/dataset/data-figures';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { formatPercent } from '../../schemas/text/numbers';
import { formatNames } from '../../schemas/text/value-text';
import { formatCode, renderBullets } from './markdown';
import { withSection } from './section';

/** The part of an evaluation's results that its data set's card is about. */
export type CardEvaluation = Pick<EvaluationResults, 'models' | 'cells' | 'memory'> & {
  readonly analyses: Pick<EvaluationResults['analyses'], 'stress'>;
};

/** Returns the card of a data set with what its evaluations found of their judges and matchers. */
export function withEvaluations(card: string, evaluations: readonly CardEvaluation[]): string {
  if (evaluations.length === 0) return card;
  return withSection(card, 'Evaluation', evaluations.map(renderEvaluation).join('\n\n'), 'Limits');
}

function renderEvaluation({ models, cells, memory, analyses: { stress } }: CardEvaluation): string {
  const tested = new Set(stress?.evaluators.map(({ evaluator }) => evaluator));
  const untested = new Set(
    cells.map(({ evaluator }) => evaluator).filter((name) => name !== 'none' && !tested.has(name)),
  );
  return [
    `${formatCount(models.length, 'model was', 'models were')} evaluated on this data set with \`cupid eval\`: ${models.map(formatCode).join(', ')}. What the stress test found of those who scored them:`,
    renderBullets([
      ...renderStress(stress),
      ...[...untested].map((name) => `${formatCode(name)}: not tested, so how often it is wrong is unknown.`),
      ...renderSharedNames(cells),
      ...describeMemoryShares(memory, formatCode),
    ]),
  ].join('\n\n');
}

/** Renders a line for each matcher and judge that was tested. */
function renderStress(stress: StressAnalysis | undefined): string[] {
  if (stress === undefined) return [];
  return stress.evaluators.map(
    ({ evaluator, evaluator_form: form, ...errors }) =>
      `${formatCode(evaluator)} as ${form === 'judge' ? 'judge' : 'matcher'} ${describeErrors(errors)}, in answers about ${formatCount(stress.n_personas, 'persona')}.`,
  );
}

/**
 * Renders how often the evaluators in some forms are wrong, on which other data rest; or that it is unknown.
 * @param subject what these evaluators gave
 */
export function renderStressOf(
  stress: StressAnalysis | undefined,
  forms: readonly ScoreRow['evaluator_form'][],
  subject: 'labels' | 'scores',
): string[] {
  const evaluators = stress?.evaluators.filter(({ evaluator_form: form }) => forms.includes(form)) ?? [];
  if (stress === undefined || evaluators.length === 0)
    return [`How often the ${subject} are wrong is unknown: the evaluators had no stress test.`];
  return renderStress({ ...stress, evaluators }).map((line) => `Stress test: ${line}`);
}

/** Describes how often an evaluator was wrong; an unknown share stays unknown. */
function describeErrors({
  false_acceptance_rate: accepted,
  false_rejection_rate: rejectedShare,
}: EvaluatorErrors): string {
  return `accepted ${describeShare(accepted)} of wrong answers and rejected ${describeShare(rejectedShare)} of right ones`;
}

function describeShare(figure: ShareFigure | null): string {
  if (figure === null) return 'an unknown share';
  const { share, interval } = figure;
  return `${formatPercent(share)} % (95 %: ${formatPercent(interval.low)}–${formatPercent(interval.high)} %)`;
}

/**
 * Describes how many contexts of a memory system were cut or empty, on which its scores rest. Nothing if there was none.
 * @param formatName formats the name of the memory system
 */
export function describeMemoryShares(
  memory: EvaluationResults['memory'],
  formatName = (name: string) => name,
): string[] {
  if (memory === undefined) return [];
  const { name, budget_tokens: budget, cut, empty } = memory;
  if (cut === null || empty === null) return [];
  const describe = ({ count, share }: typeof cut) =>
    `${formatNumber(count)} (${formatPercent(share)} %) ${pluralize(count, 'was', 'were')}`;
  return [
    `${formatName(name)}: of ${formatCount(cut.total, 'context')}, ${describe(cut)} cut at the budget of ${formatCount(budget, 'token')}, and ${describe(empty)} empty.`,
  ];
}

/** Renders a line for each name under which several models answered. */
function renderSharedNames(cells: readonly ResultCell[]): string[] {
  const modelsByName = new Map<string, Set<string>>();
  for (const { name, answered_by } of cells.flatMap(({ shared_names: names = [] }) => names)) {
    const models = modelsByName.get(name) ?? new Set<string>();
    for (const { model } of answered_by) models.add(model);
    modelsByName.set(name, models);
  }
  return [...modelsByName].map(
    ([name, models]) =>
      `${formatCode(name)}: answers came from several models, ${formatNames([...models].map(formatCode))}.`,
  );
}
