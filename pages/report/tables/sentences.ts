import { MEASURES } from '../../../schemas/evaluation/measure';
import { formatCount } from '../../../schemas/text/count-text';
import { formatInterval, formatPercent, type Interval } from '../../../schemas/text/numbers';
import type { EvaluationResults, ResultCell } from '../../../schemas/evaluation/results';
import { getMainNumber } from './result-cell';
import { formatEvaluation, groupByEvaluation } from './section';

type Results = Pick<EvaluationResults, 'cells' | 'data'>;

/**
 * Writes a sentence for each column that a paper can quote: the number with its interval, its floor and ceiling if they were measured, and how
 * often its evaluator was wrong. Columns that are the floor or ceiling of others have none.
 */
export function writeSentences({ cells, data }: Results): string[] {
  return groupByEvaluation(cells).flatMap(({ entries }) =>
    entries
      .filter(({ context }) => context !== 'none' && context !== 'preference')
      .flatMap((cell) => {
        const { value } = getMainNumber(cell.all);
        if (typeof value !== 'number') return [];
        const find = (context: ResultCell['context']) =>
          entries.find((entry) => entry.context === context && entry.model === cell.model);
        return [
          [
            writeResult(cell, data.source),
            writeBound(find('none')),
            writeBound(find('preference')),
            writeErrors(cell),
          ]
            .filter((sentence) => sentence !== '')
            .join(' '),
        ];
      }),
  );
}

function writeResult(cell: ResultCell, source: string): string {
  const { counts } = cell.all;
  const instances = formatCount(counts.scored + counts.context_length, 'instance');
  const missing = counts.missing === 0 ? '' : `; ${formatCount(counts.missing, 'score')} missing`;
  return `${formatEvaluation(cell)}, context ${cell.context}: ${cell.model} has ${describeValue(cell)} on ${instances} of ${source}${describeChance(cell)}${missing}.`;
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
