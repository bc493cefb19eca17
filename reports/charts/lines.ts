import type { EvaluationResults } from '../../evaluations/results';
import { groupBy } from '../../rules/group-by';
import type { Task } from '../../schemas/evaluation/evaluation';
import { buildSeries, buildSeriesScales, formatFileName, type Figure, type Pen } from '../drawing';
import { GIVEN_WORDS } from '../tables/results';
import { formatEvaluation } from '../tables/section';

/** Mean result of all models by mean position of the relevant sessions (figure 3). */
export function drawPositions(
  pen: Pen,
  { settings }: EvaluationResults['analyses']['by_position'],
): Figure[] {
  const shown = settings.filter(({ points }) => points.length > 1);
  return [...groupBy(shown, formatEvaluation)].map(([line, own]) => {
    const task = own[0]?.task ?? 'inference';
    return drawLines(pen, {
      name: `figure-3-${task}-${formatFileName(own[0]?.evaluator ?? '')}`,
      title: 'Position of the relevant sessions (figure 3)',
      note: `${line}: mean ${task === 'inference' ? 'F1' : 'score'} over all models by mean position in the history, from 1; larger marks are more instances.`,
      task,
      axis: 'mean position of the relevant sessions',
      column: 'position',
      measured: task === 'inference' ? 'mean F1' : 'mean score',
      points: own.flatMap(({ context, points }) =>
        points.map(({ position, mean, n_instances }) => ({
          series: GIVEN_WORDS[context],
          x: position,
          value: mean,
          count: n_instances,
        })),
      ),
    });
  });
}

/** Results of each model by the length of the history (figure 9). */
export function drawLengths(
  pen: Pen,
  { cells }: EvaluationResults['analyses']['by_length'],
  tokenizer: string,
): Figure[] {
  const settings = groupBy(cells, (cell) => JSON.stringify([cell.context, formatEvaluation(cell)]));
  return [...settings.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined || first.bins.length < 2) return [];
    const { task, context } = first;
    return [
      drawLines(pen, {
        name: `figure-9-${task}-${context}-${formatFileName(first.evaluator)}`,
        title: `Length of the history (figure 9)`,
        note: `${formatEvaluation(first)}, ${GIVEN_WORDS[context]}: ${task === 'inference' ? 'micro F1' : 'mean score'} in bins of equal size, by the tokens (${tokenizer}) of the longest history in each.`,
        task,
        axis: 'tokens of the prior sessions, at most',
        column: 'most tokens',
        measured: task === 'inference' ? 'micro F1' : 'mean score',
        points: own.flatMap(({ model, bins }) =>
          bins.flatMap((bin) => {
            const value = task === 'inference' ? bin.f1 : bin.average_score;
            return value === null
              ? []
              : [{ series: model, x: bin.max_tokens, value, count: bin.n_instances }];
          }),
        ),
      }),
    ];
  });
}

interface LinesLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  readonly task: Task;
  readonly axis: string;
  /** Names of the columns of x and of the value, in the chart's table. */
  readonly column: string;
  readonly measured: string;
  readonly points: readonly {
    readonly series: string;
    readonly x: number;
    readonly value: number;
    readonly count: number;
  }[];
}

function drawLines(
  { plot, draw }: Pen,
  { name, title, note, task, axis, column, measured, points }: LinesLayout,
): Figure {
  const series = buildSeries(points.map((point) => point.series));
  const shown = points.map((point) => ({ ...point, y: point.value * (task === 'inference' ? 100 : 1) }));
  const drawing = draw(`${title}. ${note}`, {
    height: 300,
    marginLeft: 48,
    marginRight: 24,
    x: { label: axis, nice: true },
    y: { label: task === 'inference' ? `${measured} (%)` : measured, grid: true, nice: true, zero: false },
    r: { range: [3, 7] },
    ...buildSeriesScales(series),
    marks: [
      plot.lineY(shown, { x: 'x', y: 'y', stroke: 'series', strokeWidth: 1.5 }),
      plot.dot(shown, { x: 'x', y: 'y', stroke: 'series', fill: 'series', symbol: 'series', r: 'count' }),
    ],
  });
  return {
    name,
    title,
    note,
    drawing,
    legend: series,
    columns: ['series', column, measured, 'instances'],
    rows: points.map((point) => [point.series, point.x, point.value, point.count]),
  };
}
