import type { EvaluationResults } from '../../schemas/evaluation/results';
import { getContextForm } from '../../schemas/evaluation/context';
import { MEASURES, nameUnit } from '../../schemas/evaluation/measure';
import { groupBy } from '../../rules/group-by';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
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
import type { Interval } from '../../schemas/text/numbers';
import { isSameCell } from '../../rules/analyses/groups';
import { getMainNumber } from '../../runs/tables/result-cell';
import { formatEvaluation, groupByEvaluation } from '../../runs/tables/section';

/** Draws the mean result of each model by mean position of the relevant sessions (figure 3). */
export function drawPositions(pen: Pen, { cells }: EvaluationResults['analyses']['by_position']): Figure[] {
  return groupBySetting(cells, ({ points }) => points).map(({ first, line, settingCells }) =>
    drawLines(pen, first, {
      name: 'figure-3',
      title: 'Position (figure 3)',
      line,
      axis: 'mean position of the relevant sessions',
      column: 'position',
      measured: MEASURES[first.task].mean,
      points: settingCells.flatMap(({ model, points }) =>
        points.map(({ position, mean, n_instances }) => ({
          series: model,
          x: position,
          value: mean,
          count: n_instances,
        })),
      ),
    }),
  );
}

/** Draws the results of each model by the length of the history (figure 9). */
export function drawLengths(pen: Pen, { cells }: EvaluationResults['analyses']['by_length']): Figure[] {
  return groupBySetting(cells, ({ bins }) => bins).map(({ first, line, settingCells }) =>
    drawLines(pen, first, {
      name: 'figure-9',
      title: 'Length (figure 9)',
      line,
      axis: 'tokens of the prior sessions, at most',
      column: 'most tokens',
      measured: MEASURES[first.task].average,
      points: settingCells.flatMap(({ model, bins }) =>
        bins.flatMap((bin) => {
          const value = bin[MEASURES[first.task].key];
          return value === null ? [] : [{ series: model, x: bin.max_tokens, value, count: bin.n_instances }];
        }),
      ),
    }),
  );
}

/** Draws the result of each model by the length of the extended history, with its interval. */
export function drawHistories(
  pen: Pen,
  { cells, analyses: { histories } }: Pick<EvaluationResults, 'cells' | 'analyses'>,
): Figure[] {
  return groupByEvaluation(histories).flatMap(({ line, entries }) => {
    const hasForms = new Set(entries.map(({ context }) => getContextForm(context))).size > 1;
    const points = entries.flatMap((entry) => {
      const cell = cells.find((candidate) => isSameCell(candidate, entry));
      const { value, interval } = getMainNumber(cell?.all);
      if (typeof value !== 'number') return [];
      const series = hasForms ? `${entry.model}, ${getContextForm(entry.context)}` : entry.model;
      return [{ series, x: entry.mean_tokens, value, interval, count: entry.n_instances }];
    });
    return entries.slice(0, points.length > 1 ? 1 : 0).map((first) =>
      drawLines(pen, first, {
        name: 'histories',
        title: 'Length of the extended history',
        line,
        axis: 'mean tokens of the prior sessions',
        column: 'tokens',
        measured: MEASURES[first.task].average,
        points,
      }),
    );
  });
}

type SettingCell = Pick<ScoreRow, 'task' | 'context' | 'evaluator' | 'evaluator_form' | 'decomposer'>;

/** Groups the cells with enough points for a line by all but their models. */
function groupBySetting<Cell extends SettingCell>(
  cells: readonly Cell[],
  getPoints: (cell: Cell) => readonly unknown[],
) {
  const shownCells = cells.filter((cell) => readsAllSessions(cell) && getPoints(cell).length >= LEAST_POINTS);
  const settings = groupBy(shownCells, (cell) => `${formatEvaluation(cell)}, context ${cell.context}`);
  return [...settings].flatMap(([line, settingCells]) =>
    settingCells.slice(0, 1).map((first) => ({ first, line, settingCells })),
  );
}

/** Returns whether the model, or its memory, reads all prior sessions. Only then can their order and length affect its results. */
function readsAllSessions({ context }: SettingCell): boolean {
  const form = getContextForm(context);
  return form === 'full' || form === 'memory' || form === 'summary';
}

interface LinesLayout {
  /** Begins with the paper's figure, if it has one. */
  readonly name: string;
  readonly title: string;
  readonly line: string;
  readonly axis: string;
  /** Names of the columns of x and of the value in the chart's table. */
  readonly column: string;
  readonly measured: string;
  readonly points: readonly {
    readonly series: string;
    readonly x: number;
    readonly value: number;
    readonly interval?: Interval | null | undefined;
    readonly count: number;
  }[];
}

/** Draws a line for each model, which is gray where it rests on few instances. */
function drawLines(
  pen: Pen,
  { task, context, evaluator }: SettingCell,
  { name, title, line, axis, column, measured, points }: LinesLayout,
): Figure {
  const { plot, draw } = pen;
  const { scale, range } = MEASURES[task];
  const series = buildSeries(points.map((point) => point.series));
  const { color, symbol } = buildSeriesScales(series);
  const scaledPoints = points.map((point) => ({
    ...point,
    y: point.value * scale,
    shade: point.count < FEW_INSTANCES ? FEW : point.series,
  }));
  const note = `${line}: ${measured}; larger marks are more instances${points.some(({ count }) => count < FEW_INSTANCES) ? `, gray ones fewer than ${FEW_INSTANCES}` : ''}.`;
  return {
    name: `${name}-${task}-${context}-${formatFileName(evaluator)}`,
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
      color: { domain: [...color.domain, FEW], range: [...color.range, 'var(--few)'] },
      symbol,
      marks: [
        plot.ruleX(
          scaledPoints.flatMap(({ interval, ...point }) =>
            interval ? [{ ...point, low: interval.low * scale, high: interval.high * scale }] : [],
          ),
          { x: 'x', y1: 'low', y2: 'high', stroke: 'shade' },
        ),
        plot.lineY(scaledPoints, { x: 'x', y: 'y', z: 'series', stroke: 'shade', strokeWidth: 1.5 }),
        plot.dot(scaledPoints, {
          x: 'x',
          y: 'y',
          stroke: 'shade',
          fill: 'shade',
          symbol: 'series',
          r: 'count',
        }),
      ],
    }),
    width: 'third',
    legend: drawLegend(pen, series, 'line'),
    columns: ['model', column, measured, 'instances'],
    rows: points.map((point) => [point.series, point.x, point.value, point.count]),
  };
}

/** Fewer instances than these show no course. */
const FEW_INSTANCES = 10;
/** Stands for a series where it rests on few instances. No model has this name. */
const FEW = 'few instances';
