import type { EvaluationResults } from '../../schemas/evaluation/results';
import { MEASURES, nameUnit } from '../../schemas/evaluation/measure';
import { groupBy } from '../../rules/group-by';
import type { HistoryForm } from '../../schemas/evaluation/context';
import type { Task } from '../../schemas/evaluation/evaluation';
import {
  buildSeries,
  buildSeriesScales,
  drawLegend,
  formatFileName,
  LEAST_POINTS,
  WIDTHS,
  type Pen,
} from './drawing';
import type { Figure } from './figure';
import { formatEvaluation } from '../../runs/tables/section';

/** Draws the mean result of all models by mean position of the relevant sessions (figure 3). */
export function drawPositions(
  pen: Pen,
  { settings }: EvaluationResults['analyses']['by_position'],
): Figure[] {
  const shownSettings = settings.filter(
    (setting) => readsAllSessions(setting) && setting.points.length >= LEAST_POINTS,
  );
  return [...groupBy(shownSettings, formatEvaluation)].map(([line, lineSettings]) => {
    const task = lineSettings[0]?.task ?? 'inference';
    return drawLines(pen, {
      name: `figure-3-${task}-${formatFileName(lineSettings[0]?.evaluator ?? '')}`,
      title: 'Position (figure 3)',
      note: `${line}: ${MEASURES[task].mean} over all models; larger marks are more scores.`,
      task,
      axis: 'mean position of the relevant sessions',
      column: 'position',
      measured: MEASURES[task].mean,
      counted: 'scores',
      points: lineSettings.flatMap(({ context, points }) =>
        points.map(({ position, mean, n_instances }) => ({
          series: `context ${context}`,
          x: position,
          value: mean,
          count: n_instances,
        })),
      ),
    });
  });
}

/** Draws the results of each model by the length of the history (figure 9). */
export function drawLengths(pen: Pen, { cells }: EvaluationResults['analyses']['by_length']): Figure[] {
  const shownCells = cells.filter((cell) => readsAllSessions(cell) && cell.bins.length >= LEAST_POINTS);
  const settings = groupBy(shownCells, (cell) => JSON.stringify([cell.context, formatEvaluation(cell)]));
  return [...settings.values()].flatMap((settingCells) => {
    const [first] = settingCells;
    if (first === undefined) return [];
    const { task, context } = first;
    return [
      drawLines(pen, {
        name: `figure-9-${task}-${context}-${formatFileName(first.evaluator)}`,
        title: 'Length (figure 9)',
        note: `${formatEvaluation(first)}, context ${context}: ${MEASURES[task].average}.`,
        task,
        axis: 'tokens of the prior sessions, at most',
        column: 'most tokens',
        measured: MEASURES[task].average,
        counted: 'instances',
        points: settingCells.flatMap(({ model, bins }) =>
          bins.flatMap((bin) => {
            const value = bin[MEASURES[task].key];
            return value === null
              ? []
              : [{ series: model, x: bin.max_tokens, value, count: bin.n_instances }];
          }),
        ),
      }),
    ];
  });
}

/** Returns whether the model, or its memory, reads all prior sessions. Only then can their order and length affect its results. */
function readsAllSessions({ context }: { readonly context: HistoryForm }): boolean {
  return context === 'full' || context === 'memory' || context === 'summary';
}

interface LinesLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  readonly task: Task;
  readonly axis: string;
  /** Names of the columns of x, of the value, and of what it is over, in the chart's table. */
  readonly column: string;
  readonly measured: string;
  readonly counted: string;
  readonly points: readonly {
    readonly series: string;
    readonly x: number;
    readonly value: number;
    readonly count: number;
  }[];
}

function drawLines(
  pen: Pen,
  { name, title, note, task, axis, column, measured, counted, points }: LinesLayout,
): Figure {
  const { plot, draw } = pen;
  const { scale, range } = MEASURES[task];
  const series = buildSeries(points.map((point) => point.series));
  const scaledPoints = points.map((point) => ({ ...point, y: point.value * scale }));
  return {
    name,
    title,
    note,
    drawing: draw(`${title}. ${note}`, {
      width: WIDTHS.third,
      height: 230,
      marginLeft: 40,
      insetLeft: 10,
      insetRight: 10,
      x: { label: axis, labelAnchor: 'center', nice: true, ticks: 5 },
      // The possible range, so that charts beside each other have the same scale.
      y: { label: nameUnit(task, measured), grid: true, domain: [0, range[1] * scale], ticks: 5 },
      r: { range: [3, 6] },
      ...buildSeriesScales(series),
      marks: [
        plot.lineY(scaledPoints, { x: 'x', y: 'y', stroke: 'series', strokeWidth: 1.5 }),
        plot.dot(scaledPoints, {
          x: 'x',
          y: 'y',
          stroke: 'series',
          fill: 'series',
          symbol: 'series',
          r: 'count',
        }),
      ],
    }),
    width: 'third',
    legend: drawLegend(pen, series, 'line'),
    columns: ['series', column, measured, counted],
    rows: points.map((point) => [point.series, point.x, point.value, point.count]),
  };
}
