import type { EvaluationResults } from '../../../runs/evaluate/results';
import { MEASURES, nameUnit } from '../../../schemas/evaluation/measure';
import { groupBy } from '../../../rules/group-by';
import type { Task } from '../../../schemas/evaluation/evaluation';
import {
  buildSeries,
  buildSeriesScales,
  computeLabelMargin,
  formatFileName,
  shortenName,
  type Figure,
  type Pen,
} from '../drawing';
import { formatEvaluation } from '../tables/section';

/** Draws the mean result of all models by mean position of the relevant sessions (figure 3). */
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
      note: `${line}: ${MEASURES[task].mean} over all models by mean position in the history, from 1; larger marks are more scores.`,
      task,
      axis: 'mean position of the relevant sessions',
      column: 'position',
      measured: MEASURES[task].mean,
      counted: 'scores',
      points: own.flatMap(({ context, points }) =>
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
        note: `${formatEvaluation(first)}, context ${context}: ${MEASURES[task].average} in bins of equal size, by the tokens (${tokenizer}) of the longest history in each.`,
        task,
        axis: 'tokens of the prior sessions, at most',
        column: 'most tokens',
        measured: MEASURES[task].average,
        counted: 'instances',
        points: own.flatMap(({ model, bins }) =>
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
  { plot, draw }: Pen,
  { name, title, note, task, axis, column, measured, counted, points }: LinesLayout,
): Figure {
  const series = buildSeries(points.map((point) => point.series));
  const shown = points.map((point) => ({ ...point, y: point.value * MEASURES[task].scale }));
  const labels = placeEndLabels(shown, HEIGHT);
  const names = labels.map(({ series: label }) => label);
  const drawing = draw(`${title}. ${note}`, {
    height: HEIGHT,
    marginLeft: 48,
    insetLeft: 10,
    marginRight: labels.length === 0 ? 24 : computeLabelMargin(names) + 2 * LABEL_GAP,
    x: { label: axis, labelAnchor: 'center', nice: true },
    y: { label: nameUnit(task, measured), grid: true, nice: true, zero: false },
    r: { range: [3, 7] },
    ...buildSeriesScales(series),
    marks: [
      plot.lineY(shown, { x: 'x', y: 'y', stroke: 'series', strokeWidth: 1.5 }),
      plot.dot(shown, { x: 'x', y: 'y', stroke: 'series', fill: 'series', symbol: 'series', r: 'count' }),
      ...(labels.length === 0
        ? []
        : [
            plot.dot(labels, { x: 'x', y: 'y', dx: LABEL_GAP, r: 4, fill: 'series', symbol: 'series' }),
            plot.text(labels, {
              x: 'x',
              y: 'y',
              dx: 2 * LABEL_GAP,
              text: ({ series: label }: EndLabel) => shortenName(label),
              textAnchor: 'start',
            }),
          ]),
    ],
  });
  return {
    name,
    title,
    note,
    drawing,
    ...(labels.length === 0 && { legend: series }),
    columns: ['series', column, measured, counted],
    rows: points.map((point) => [point.series, point.x, point.value, point.count]),
  };
}

const HEIGHT = 300;
/** Pixels between the end of a line and the mark of its label. */
const LABEL_GAP = 18;
/** Pixels between two labels. */
const LABEL_HEIGHT = 15;

interface EndLabel {
  readonly series: string;
  readonly x: number;
  readonly y: number;
}

/**
 * Places the names of lines beside their ends, far enough apart to be read. Returns none if the lines end at different
 * places, or are too many for the height.
 */
export function placeEndLabels(points: readonly EndLabel[], height: number): EndLabel[] {
  const ends = [...groupBy(points, ({ series }) => series).values()].flatMap(
    (own) => own.toSorted((one, other) => other.x - one.x)[0] ?? [],
  );
  const usable = height - 2 * LABEL_HEIGHT - 40;
  if (new Set(ends.map(({ x }) => x)).size > 1 || ends.length * LABEL_HEIGHT > usable) return [];
  const values = points.map(({ y }) => y);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const gap = ((high - low) / usable) * LABEL_HEIGHT;
  const placed: EndLabel[] = [];
  for (const end of ends.toSorted((one, other) => one.y - other.y)) {
    const below = placed.at(-1);
    placed.push(below === undefined ? end : { ...end, y: Math.max(end.y, below.y + gap) });
  }
  // Those above the highest line move down, and those below them with them.
  let ceiling = high;
  return placed
    .toReversed()
    .map((label) => {
      const y = Math.min(label.y, ceiling);
      ceiling = y - gap;
      return { ...label, y };
    })
    .toReversed();
}
