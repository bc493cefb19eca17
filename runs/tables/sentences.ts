import { getCellKey } from '../../rules/analyses/groups';
import { compareModels, findContextDifference } from '../../rules/analyses/model-comparison';
import { MEASURES } from '../../schemas/evaluation/measure';
import type { MemoryFigures } from '../../schemas/evaluation/results/analyses';
import type { SharedName } from '../../schemas/evaluation/results/shared-names';
import { getContextForm, getHistoryTier } from '../../schemas/evaluation/context';
import type { ContextDifference, ModelDifference } from '../../schemas/evaluation/results/summary';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatInterval, formatPercent, formatSigned, type Interval } from '../../schemas/text/numbers';
import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { describeComparison } from './comparisons';
import { getMainNumber } from './result-cell';
import { formatEvaluation, groupByEvaluation } from './section';

type Results = Pick<
  EvaluationResults,
  'cells' | 'data' | 'differences' | 'context_differences' | 'memory'
> & {
  readonly analyses: Pick<EvaluationResults['analyses'], 'memory'>;
};

/**
 * Writes a sentence for each column that a paper can quote: the number with its interval, its floor and ceiling if they were measured, and what is
 * known about its evaluator, its memory and who answered. Then writes one for each pair of models. Columns that are the floor or ceiling of others
 * have none.
 */
export function writeSentences({
  cells,
  data,
  differences,
  context_differences: contextDifferences,
  memory,
  analyses,
}: Results): string[] {
  return [
    ...writeColumns(cells, data, { memory, figures: analyses.memory, differences: contextDifferences }),
    ...writePairs(cells, differences),
  ];
}

function isQuoted({ context }: Pick<ResultCell, 'context'>): boolean {
  return context !== 'none' && context !== 'preference';
}

function hasNumber(cell: ResultCell): boolean {
  return typeof getMainNumber(cell.all).value === 'number';
}

function writeColumns(
  cells: readonly ResultCell[],
  data: Results['data'],
  {
    memory,
    figures,
    differences,
  }: {
    readonly memory: Results['memory'];
    readonly figures: readonly MemoryFigures[];
    readonly differences: readonly ContextDifference[];
  },
): string[] {
  return groupByEvaluation(cells).flatMap(({ entries }) =>
    entries.filter(isQuoted).flatMap((cell) => {
      if (!hasNumber(cell)) return [];
      const find = (context: ResultCell['context']) =>
        entries.find((entry) => entry.context === context && entry.model === cell.model);
      return [
        [
          writeResult(cell, data.source),
          writeBound(find('none')),
          writeBound(find('preference')),
          writeExtension(cell, differences),
          writeErrors(cell),
          ...(cell.shared_names ?? []).map(describeSharedName),
          writeMemory(cell, memory, figures),
        ]
          .filter((sentence) => sentence !== '')
          .join(' '),
      ];
    }),
  );
}

/** Writes for every two models that have a number which of them is better, or that it is not known. */
function writePairs(cells: readonly ResultCell[], differences: Results['differences']): string[] {
  const cellsWithNumber = new Set(cells.filter(hasNumber).map((cell) => JSON.stringify(getCellKey(cell))));
  return differences.filter(isQuoted).flatMap((difference) => {
    const models = [difference.model, difference.other_model];
    const areScored = models.every((model) =>
      cellsWithNumber.has(JSON.stringify(getCellKey({ ...difference, model }))),
    );
    return areScored ? [writePair(difference)] : [];
  });
}

function writePair(pair: ModelDifference): string {
  const { average, format } = MEASURES[pair.task];
  const sentence = describeComparison(
    compareModels(pair),
    formatEvaluation(pair),
    pair.context,
    ({ kind, difference, interval: { low, high } }) =>
      `${kind === 'clear' ? formatSigned(difference, format) : format(difference)} ${average} (95 % interval by persona: ${format(low)} to ${format(high)})`,
  );
  return `${sentence}.`;
}

/** Says how an extended history was made, and how the number differs from that of the own history. */
function writeExtension(cell: ResultCell, differences: readonly ContextDifference[]): string {
  const tier = getHistoryTier(cell.context);
  const form = getContextForm(cell.context);
  if (tier === undefined || form === 'preference') return '';
  const origin = `The history is extended to at most ${tier} tokens with sessions of other personas`;
  const change = findContextDifference(differences, cell, form);
  if (change === null) return `${origin}.`;
  const { format, scale } = MEASURES[cell.task];
  const difference = `${formatSigned(change.difference, format)}${scale === 100 ? ' points' : ''}`;
  const bounds =
    change.interval === null
      ? ''
      : ` (95 % interval by persona: ${formatSigned(change.interval.low, format)} to ${formatSigned(change.interval.high, format)})`;
  return `${origin}; the difference to the own history is ${difference}${bounds} over ${formatCount(change.n_instances, 'instance')}.`;
}

/** Describes which models answered under one name. */
export function describeSharedName({ name, answered_by }: Pick<SharedName, 'name' | 'answered_by'>): string {
  const models = answered_by.map(({ model }) => model);
  return `${name}: answers came from ${models.slice(0, -1).join(', ')} and ${models.at(-1) ?? ''}.`;
}

/** Names the memory system, and says how much of its contexts the model did not see. */
function writeMemory(
  { model, context }: ResultCell,
  memory: Results['memory'],
  memoryFigures: readonly MemoryFigures[],
): string {
  const figures = memoryFigures.find(
    (entry) => entry.model === model && entry.context === context && entry.instance_type === 'all',
  );
  if (memory === undefined || figures === undefined || figures.n_instances === 0) return '';
  const { n_instances, n_cut, n_empty } = figures;
  return `In place of the history, the model was given the contexts of ${memory.name}, of at most ${formatCount(memory.budget_tokens, 'token')}; ${formatPercent(n_cut / n_instances)} % were cut at the budget and ${formatPercent(n_empty / n_instances)} % were empty.`;
}

function writeResult(cell: ResultCell, source: string): string {
  const { counts } = cell.all;
  const instances = formatCount(counts.scored + counts.context_length, 'instance');
  const missing = counts.missing === 0 ? '' : `; ${formatCount(counts.missing, 'score')} missing`;
  const zeros =
    counts.context_length === 0
      ? ''
      : `; ${formatNumber(counts.context_length)} of them over the context length, counted as 0`;
  return `${formatEvaluation(cell)}, context ${cell.context}: ${cell.model} has ${describeValue(cell)} on ${instances} of ${source}${describeChance(cell)}${zeros}${missing}.`;
}

function describeValue(cell: ResultCell): string {
  const { average, format, scale } = MEASURES[cell.task];
  const { value, interval } = getMainNumber(cell.all);
  return `${average} ${quote(value, interval, format, scale === 100 ? ' %' : '')}`;
}

/** Says how right blind guesses would be, and how right the model is in pairs. */
function describeChance({ all: { choice } }: ResultCell): string {
  if (choice === null || choice === undefined) return '';
  const chance = `; chance ${formatPercent(choice.chance)} %`;
  if (choice.n_pairs === 0) return chance;
  return `${chance}${describePairs(choice)}, chance ${formatPercent(choice.paired_chance)} %, and 0 for a model that gives both instances of a pair the same answer`;
}

function describePairs(choice: ResultCell['all']['choice'] | undefined): string {
  if (choice === null || choice === undefined || choice.n_pairs === 0) return '';
  const { n_pairs, paired_accuracy, intervals } = choice;
  return `; paired accuracy ${quote(paired_accuracy, intervals.paired_accuracy)} over ${formatCount(n_pairs, 'persona')}`;
}

/** Formats a number with its interval; a share by default. */
function quote(
  value: number | null | undefined,
  interval: Interval | null | undefined,
  format = formatPercent,
  unit = ' %',
): string {
  const bounds =
    interval === null || interval === undefined
      ? ''
      : ` (95 % interval by persona: ${formatInterval(interval, format)})`;
  return `${format(value)}${unit}${bounds}`;
}

function writeBound(cell: ResultCell | undefined): string {
  if (cell === undefined || typeof getMainNumber(cell.all).value !== 'number') return '';
  return `Context ${cell.context}: ${describeValue(cell)}${describePairs(cell.all.choice)}.`;
}

function writeErrors({ evaluator_errors: errors }: ResultCell): string {
  if (errors === undefined) return '';
  const { false_acceptance_rate: accepted, false_rejection_rate: rejectedShare } = errors;
  const parts = [
    ...(accepted === null ? [] : [`accepted ${quote(accepted.share, accepted.interval)} of wrong answers`]),
    ...(rejectedShare === null
      ? []
      : [`rejected ${quote(rejectedShare.share, rejectedShare.interval)} of right ones`]),
  ];
  return parts.length === 0 ? '' : `In a stress test, the evaluator ${parts.join(' and ')}.`;
}
